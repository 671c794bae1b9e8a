// GitHub's own language service reads workflows: check_workflows.mjs TOOLS FILE...
// It prints a line for each fault; exit code 1 if there is one. TOOLS has its node_modules.
import { readFile } from "node:fs/promises";
import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";

const [tools, ...files] = process.argv.slice(2);

// The package imports JSON as bundlers do; Node wants to be told that it is JSON.
const hook = `
  import { readFile } from "node:fs/promises";
  export async function load(url, context, next) {
    if (!url.endsWith(".json")) return next(url, context);
    const source = "export default " + (await readFile(new URL(url), "utf8"));
    return { format: "module", source, shortCircuit: true };
  }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

const home = pathToFileURL(`${tools}/package.json`);
const service = new URL("node_modules/@actions/languageservice/dist/index.js", home);
const { validate } = await import(service);
const { TextDocument } = createRequire(home)("vscode-languageserver-textdocument");

for (const file of files) {
  const document = TextDocument.create(pathToFileURL(file).href, "yaml", 0, await readFile(file, "utf8"));
  for (const { message, range } of await validate(document)) {
    console.log(`${file}:${range.start.line + 1}: ${message}`);
    process.exitCode = 1;
  }
}
