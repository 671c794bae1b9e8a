// The TypeScript SDK's client: connect to a server, list its tools, call one, print all of it as JSON.
//   node typescript_client.mjs '{"command": …, "args": […], "tool": …, "arguments": {…}}'
// It is copied beside the installed packages, where node looks for them.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const asked = JSON.parse(process.argv[2]);
const client = new Client({ name: "nacre-tests", version: "1" });
const complaints = [];
client.onerror = (error) => complaints.push(String(error));
await client.connect(
  new StdioClientTransport({ command: asked.command, args: asked.args, cwd: asked.cwd, stderr: "ignore" }),
);
const { tools } = await client.listTools(); // also compiles the output schemas, against which results are held
const result = await client.callTool({ name: asked.tool, arguments: asked.arguments });
console.log(JSON.stringify({ server: client.getServerVersion(), tools, result, complaints }));
await client.close();
