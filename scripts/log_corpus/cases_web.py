"""Logs of the tools of JavaScript, TypeScript, Rust, Go and Java."""

from __future__ import annotations

from corpus import Project, case

CARGO = '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n'


@case(
    "npm-run-build",
    r"Error: Cannot find module './settings/production\.json'",
    r"npm error code ELIFECYCLE|npm error Lifecycle script .build. failed",
    tool="npm",
)
def npm_run(project: Project) -> str:
    for n in range(12):
        project.write(
            f"packages/part-{n:02}/package.json",
            f'{{"name": "part-{n:02}", "version": "1.0.0", "scripts": {{"build": "node build.js"}}}}\n',
        )
        bad = "require('./settings/production.json');\n" if n == 5 else ""
        project.write(
            f"packages/part-{n:02}/build.js",
            f"for (let i = 0; i < 90; i++) console.log(`part {n}: bundled file ${{i}} of the source tree`);\n{bad}",
        )
    project.write("package.json", '{"name": "all", "private": true, "workspaces": ["packages/*"]}\n')
    return "npm run build --workspaces"


@case("npm-install-missing", r"npm error 404.*'frobnicate-nowhere-at-all@|npm error code E404", tool="npm")
def npm_missing(project: Project) -> str:
    project.write(
        "package.json",
        '{"name": "sample", "version": "1.0.0", "dependencies": {"mocha": "*", "eslint": "8", "frobnicate-nowhere-at-all": "1"}}\n',
    )
    return 'npm install --loglevel silly --no-audit --no-fund; for i in $(seq 600); do echo "restoring cached artifact number $i"; done'


@case(
    "tsc-one-error", r"src/module_77\.ts\(2,\d+\): error TS2322: Type 'string' is not assignable", tool="tsc"
)
def tsc_one(project: Project) -> str:
    for n in range(900):
        project.write(f"src/module_{n}.ts", f"export const value{n}: number = {n};\n")
    project.write("src/module_77.ts", "export const first = 1;\nexport const price: number = 'free';\n")
    project.write(
        "tsconfig.json",
        '{"compilerOptions": {"strict": true, "outDir": "out", "listEmittedFiles": true, "types": []}, "include": ["src"]}\n',
    )
    return 'tsc -p . --listFiles; for i in $(seq 500); do echo "uploading source map number $i"; done'


@case("tsc-pretty", r"error TS2304: Cannot find name 'fetchOrders'", tool="tsc")
def tsc_pretty(project: Project) -> str:
    lines = "\n".join(f"export const value{n}: number = 'text number {n}';" for n in range(110))
    project.write(
        "src/orders.ts", f"{lines}\nexport const all = fetchOrders();\n" + lines.replace("value", "other")
    )
    project.write(
        "tsconfig.json",
        '{"compilerOptions": {"strict": true, "noEmit": true, "types": []}, "include": ["src"]}\n',
    )
    return "tsc -p . --pretty"


@case("eslint-warnings", r"error\s+'conncetion' is not defined\s+no-undef", tool="eslint")
def eslint_warnings(project: Project) -> str:
    lines = "\n".join(f"var value{n} = {n};" for n in range(420))
    project.write("app.js", f"{lines}\nconncetion.close();\n{lines.replace('value', 'other')}\n")
    project.write(
        ".eslintrc.json",
        '{"root": true, "parserOptions": {"ecmaVersion": 2022}, "rules": {"no-undef": "error", "no-unused-vars": "warn", "no-var": "warn"}}\n',
    )
    return "eslint app.js"


@case("eslint-unix", r"Parsing error: Unexpected token", tool="eslint")
def eslint_unix(project: Project) -> str:
    lines = "\n".join(f"var value{n} = {n};" for n in range(25))
    for n in range(10, 50):
        project.write(f"lib/part_{n}.js", lines)
    project.write("lib/part_30.js", "function broken( {\n")
    project.write(".eslintrc.json", '{"root": true, "rules": {"no-unused-vars": "warn"}}\n')
    return "eslint -f unix lib"


def js_tests(project: Project, directory: str, header: str, suffix: str, bad: str) -> None:
    """Test files of which one has a failing test."""
    for n in range(30):
        tests = "\n".join(
            f"  test('rule {m} of area {n} holds for every row', () => {{}});" for m in range(25)
        )
        failing = bad if n == 14 else ""
        project.write(
            f"{directory}/area_{n:02}{suffix}",
            f"{header}\ndescribe('area {n}', () => {{\n{tests}\n{failing}\n}});\n",
        )


@case("jest-verbose", r"Expected: 42", r"● area 14 › adds up", tool="jest")
def jest_verbose(project: Project) -> str:
    js_tests(project, "tests", "", ".test.js", "test('adds up', () => { expect(40 + 1).toBe(42); });")
    project.write("package.json", '{"name": "sample", "jest": {"testEnvironment": "node"}}\n')
    return 'jest --verbose -i --ci; for i in $(seq 600); do echo "storing coverage file number $i"; done'


@case(
    "jest-console-noise", r"TypeError: Cannot read properties of undefined \(reading 'address'\)", tool="jest"
)
def jest_noise(project: Project) -> str:
    project.write(
        "tests/noisy.test.js",
        "for (let n = 0; n < 90; n++) test(`row ${n}`, () => { for (let i = 0; i < 3; i++) console.log(`row ${n}, pass ${i}: loaded`); const user = n === 20 ? undefined : {address: 1}; user.address; });\n",
    )
    project.write("package.json", '{"name": "sample", "jest": {"testEnvironment": "node"}}\n')
    return 'jest -i --ci; for i in $(seq 600); do echo "storing coverage file number $i"; done'


@case(
    "mocha-spec",
    r"AssertionError \[ERR_ASSERTION\]: Expected values to be strictly equal|AssertionError",
    tool="mocha",
)
def mocha_spec(project: Project) -> str:
    js_tests(
        project,
        "test",
        "const assert = require('assert'); const test = it;",
        ".js",
        "test('adds up', () => { assert.strictEqual(41, 42); });",
    )
    return 'mocha; for i in $(seq 900); do echo "storing screenshot number $i of this run"; done'


@case("node-test-spec", r"✖ adds up \(", tool="node")
def node_test_spec(project: Project) -> str:
    js_tests(
        project,
        "test",
        "const {test, describe} = require('node:test'); const assert = require('assert');",
        ".test.js",
        "test('adds up', () => { assert.strictEqual(41, 42); });",
    )
    return "node --test --test-reporter=spec"


@case("node-test-tap", r"not ok \d+ - adds up", tool="node")
def node_test_tap(project: Project) -> str:
    js_tests(
        project,
        "test",
        "const {test, describe} = require('node:test'); const assert = require('assert');",
        ".test.js",
        "test('adds up', () => { assert.strictEqual(41, 42); });",
    )
    return "node --test --test-reporter=tap"


@case("node-uncaught", r"Error: ENOENT: no such file or directory, open 'rates\.csv'", tool="node")
def node_uncaught(project: Project) -> str:
    project.write(
        "job.js",
        "const n = Number(process.argv[2]);\nfor (let i = 0; i < 30; i++) console.log(`job ${n}: converted row ${i} of the sheet`);\nif (n === 21) require('fs').readFileSync('rates.csv');\n",
    )
    return "for i in $(seq 45); do node job.js $i; done"


@case("node-unhandled-rejection", r"upstream closed the connection", tool="node")
def node_rejection(project: Project) -> str:
    project.write(
        "job.js",
        "const n = Number(process.argv[2]);\nfor (let i = 0; i < 30; i++) console.log(`worker ${n}: message ${i} acknowledged`);\nif (n === 21) Promise.reject(new Error('upstream closed the connection'));\n",
    )
    return "for i in $(seq 50); do node job.js $i; done"


@case("vitest", r"AssertionError: expected 41 to be 42", tool="vitest")
def vitest(project: Project) -> str:
    js_tests(
        project,
        "test",
        "import { test, describe, expect } from 'vitest';",
        ".test.js",
        "test('adds up', () => { expect(41).toBe(42); });",
    )
    return 'vitest run --reporter=verbose; for i in $(seq 900); do echo "storing snapshot number $i of this run"; done'


@case(
    "webpack-module-not-found", r"Module not found: Error: Can't resolve './missing-widget'", tool="webpack"
)
def webpack_missing(project: Project) -> str:
    imports = "\n".join(f"import './part_{n}.js';" for n in range(400))
    for n in range(400):
        project.write(f"src/part_{n}.js", f"console.log({n});\n")
    project.write("src/index.js", f"{imports}\nimport './missing-widget';\n")
    return 'webpack --mode development --stats verbose; for i in $(seq 500); do echo "copying asset number $i into place"; done'


@case("prettier-check", r"\[error\] .*broken\.js: SyntaxError", tool="prettier")
def prettier_check(project: Project) -> str:
    for n in range(1000):
        project.write(f"source/components/widget_{n:04}.js", f"var a  =  {n}\n")
    project.write("source/components/widget_0500_broken.js", "function (\n")
    return "prettier --check source"


@case("stylelint", r"Unknown word|CssSyntaxError", tool="stylelint")
def stylelint(project: Project) -> str:
    for n in range(100, 700):
        project.write(f"css/part_{n}.css", f"a {{ color: #FFFFF{n % 10}; colr: red }}\n")
    project.write("css/part_333.css", "a { color: red; nonsense }\n")
    project.write(
        ".stylelintrc.json", '{"rules": {"property-no-unknown": [true, {"severity": "warning"}]}}\n'
    )
    return "stylelint 'css/*.css'"


@case("cargo-build", r"error\[E0308\]: mismatched types", r"--> src/pricing\.rs:2:\d+", tool="cargo")
def cargo_build(project: Project) -> str:
    project.write("Cargo.toml", CARGO)
    body = "\n".join(f"pub fn f_{n}() {{ let unused_{n} = {n}; }}" for n in range(150))
    project.write("src/lib.rs", "mod alpha;\nmod pricing;\nmod omega;\n")
    project.write("src/alpha.rs", body)
    project.write("src/pricing.rs", 'pub fn price() -> u32 {\n    "free"\n}\n')
    project.write("src/omega.rs", body)
    return 'cargo build --offline; for i in $(seq 900); do echo "pruning target directory entry $i"; done'


@case("cargo-test", r"assertion `left == right` failed", r"panicked at src/lib\.rs", tool="cargo")
def cargo_test(project: Project) -> str:
    project.write("Cargo.toml", CARGO)
    tests = "\n".join(f"    #[test]\n    fn rule_number_{n}_holds_for_every_row() {{}}" for n in range(500))
    project.write(
        "src/lib.rs",
        f"#[cfg(test)]\nmod tests {{\n{tests}\n    #[test]\n    fn adds_up() {{ assert_eq!(41, 42); }}\n}}\n",
    )
    return 'cargo test --offline; for i in $(seq 900); do echo "pruning target directory entry $i"; done'


@case("rustc-borrow", r"error\[E0382\]: borrow of moved value: `order`", tool="rustc")
def rustc_borrow(project: Project) -> str:
    body = "\n".join(f"    let spare_{n} = {n};" for n in range(200))
    project.write(
        "main.rs",
        f'fn main() {{\n{body}\n    let order = String::new();\n    drop(order);\n    println!("{{}}", order);\n}}\n',
    )
    project.write("warn.rs", f"fn main() {{\n{body}\n}}\n")
    return "rustc warn.rs; rustc main.rs; rustc warn.rs"


@case("rust-panic", r"called `Option::unwrap\(\)` on a `None` value", tool="rustc")
def rust_panic(project: Project) -> str:
    project.write(
        "main.rs",
        'fn main() {\n    let n: u32 = std::env::args().nth(1).unwrap().parse().unwrap();\n    for i in 0..40 { println!("shard {n}: segment {i} merged and synced"); }\n    let found: Option<u32> = if n == 19 { None } else { Some(1) };\n    found.unwrap();\n}\n',
    )
    return "rustc main.rs && for i in $(seq 40); do ./main $i; done"


@case("go-test-verbose", r"order_test\.go:\d+: total is 41, want 42", r"--- FAIL: TestTotal", tool="go")
def go_test(project: Project) -> str:
    project.write("go.mod", "module sample\n\ngo 1.19\n")
    tests = "\n".join(
        f'func TestRule{n}HoldsForEveryRow(t *testing.T) {{ t.Log("rule {n} was checked against the fixture") }}'
        for n in range(300)
    )
    project.write("order/order.go", "package order\n")
    project.write(
        "order/order_test.go",
        f'package order\n\nimport "testing"\n\n{tests}\nfunc TestTotal(t *testing.T) {{ t.Errorf("total is %d, want %d", 41, 42) }}\n',
    )
    project.write("zoo/zoo.go", "package zoo\n")
    project.write("zoo/zoo_test.go", f'package zoo\n\nimport "testing"\n\n{tests}\n')
    return "go test -v ./..."


@case("go-panic", r"panic: runtime error: index out of range \[5\] with length 3", tool="go")
def go_panic(project: Project) -> str:
    project.write(
        "main.go",
        'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() {\n\tfor i := 0; i < 30; i++ {\n\t\tfmt.Println("peer", os.Args[1], "block", i, "verified and appended")\n\t}\n\tvalues := []int{1, 2, 3}\n\tif os.Args[1] == "17" {\n\t\tindex := len(os.Args) + 3\n\t\tfmt.Println(values[index])\n\t}\n}\n',
    )
    return "go build -o main main.go && for i in $(seq 50); do ./main $i; done"


@case("go-test-json", r"order_test\.go:\d+: total is 41, want 42", tool="go")
def go_test_json(project: Project) -> str:
    project.write("go.mod", "module sample\n\ngo 1.19\n")
    tests = "\n".join(f"func TestRule{n}(t *testing.T) {{ }}" for n in range(150))
    project.write("order.go", "package sample\n")
    project.write(
        "order_test.go",
        f'package sample\n\nimport "testing"\n\n{tests}\nfunc TestTotal(t *testing.T) {{ t.Errorf("total is %d, want %d", 41, 42) }}\n{tests.replace("Rule", "Other")}\n',
    )
    return "go test -json ./..."


@case(
    "javac-lint",
    r"Pricing\.java:2: error: incompatible types: String cannot be converted to int",
    tool="javac",
)
def javac_lint(project: Project) -> str:
    for n in range(100, 220):
        project.write(
            f"src/Part{n}.java",
            f"import java.util.*;\nclass Part{n} {{ List raw = new ArrayList(); void add() {{ raw.add({n}); }} }}\n",
        )
    project.write("src/Pricing.java", 'class Pricing {\n    int price = "free";\n}\n')
    return 'for f in src/*.java; do echo "compiling $f"; javac -Xlint:all -d out $f; done'


@case("java-caused-by", r"Caused by: java\.lang\.IllegalStateException: the pool is closed", tool="java")
def java_caused(project: Project) -> str:
    project.write(
        "Job.java",
        'public class Job {\n    public static void main(String[] args) {\n        for (int n = 0; n < 1500; n++) {\n            System.out.println("tick " + n + ": connection borrowed and given back");\n            if (n == 700) try { open(); } catch (RuntimeException e) { System.out.flush(); e.printStackTrace(System.out); }\n        }\n    }\n    static void open() {\n        try { throw new IllegalStateException("the pool is closed"); }\n        catch (IllegalStateException e) { throw new RuntimeException("no connection", e); }\n    }\n}\n',
    )
    return "javac Job.java && java Job"


@case("maven-offline", r"\[ERROR\] .*(?:could not be resolved|Cannot access)", tool="mvn")
def maven_offline(project: Project) -> str:
    project.write(
        "pom.xml",
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>sample</artifactId><version>1</version></project>\n',
    )
    return 'mvn -o -X -B -Dmaven.repo.local=$PWD/repository compile; for i in $(seq 500); do echo "releasing build agent lease number $i"; done'
