"""Logs of compilers, build systems and version control: gcc, clang, make, cmake, ninja, meson, git, shells."""

from __future__ import annotations

from corpus import Project, case


def c_files(project: Project, count: int, body: str = "return {n};") -> None:
    """Source files that compile, and a Makefile that shows each command."""
    for n in range(count):
        project.write(
            f"src/module_{n:03}.c", f"int function_{n}(int x) {{\n    (void)x;\n    {body.format(n=n)}\n}}\n"
        )
    project.write(
        "Makefile",
        "CFLAGS = -Wall -Wextra -g -Iinclude -I/usr/local/include/widgets -DVERSION_MAJOR=3 -DBUILD_TYPE=debug\n"
        "OBJECTS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c)))\n"
        "all: program\n\nprogram: $(OBJECTS)\n\t$(CC) -o $@ $(OBJECTS)\n",
    )


@case("gcc-undeclared", r"module_0?140\.c:3:\d+: error: .unit_price. undeclared")
def gcc_undeclared(project: Project) -> str:
    c_files(project, 360)
    project.write("src/module_140.c", "int function_140(int x) {\n    (void)x;\n    return unit_price;\n}\n")
    return "make -k"


@case("gcc-warnings-and-one-error", r"module_200\.c:\d+:\d+: error: too few arguments")
def gcc_warnings(project: Project) -> str:
    c_files(project, 300, body="int unused_{n}; return 'ab' + {n};")
    project.write(
        "src/module_200.c", "static int add(int a, int b) { return a + b; }\nint f(void) { return add(1); }\n"
    )
    return "make -k"


@case("gcc-parallel-missing-header", r"module_111\.c:1:\d+: fatal error: .*No such file")
def gcc_header(project: Project) -> str:
    c_files(project, 350)
    project.write("src/module_111.c", '#include "generated/tables.h"\nint function_111(void) { return 0; }\n')
    return "make -k -j2"


@case("ld-undefined-reference", r"undefined reference to .render_frame'")
def ld_undefined(project: Project) -> str:
    for n in range(220):
        callee = "render_frame" if n == 90 else "helper"
        project.write(
            f"tool_{n:03}.c",
            f"int {callee}(void);\nint helper(void) {{ return 0; }}\nint main(void) {{ return {callee}(); }}\n",
        )
    project.write(
        "Makefile",
        "PROGRAMS = $(patsubst %.c,%,$(sort $(wildcard *.c)))\nall: $(PROGRAMS)\n%: %.c\n\t$(CC) -O0 -g -Wall -Wextra -Wno-unused -Iinclude -Ithird_party/include -Ithird_party/widgets/include -Ibuild/generated/headers -DVERSION_MAJOR=3 -DBUILD_TYPE=debug -DPLUGIN_DIRECTORY=plugins -o $@ $<\n",
    )
    return "make -k"


@case("ld-multiple-definition", r"multiple definition of .global_state'")
def ld_multiple(project: Project) -> str:
    for n in range(200):
        both = n == 77
        project.write(f"a_{n:03}.c", "int global_state;\nint main(void) { return 0; }\n")
        project.write(f"b_{n:03}.c", "int global_state;\n" if both else f"int other_{n};\n")
    project.write(
        "Makefile",
        "PROGRAMS = $(patsubst a_%.c,p_%,$(sort $(wildcard a_*.c)))\nall: $(PROGRAMS)\np_%: a_%.c b_%.c\n\t$(CC) -O0 -g -Wall -Wextra -Iinclude -Ithird_party/include -Ithird_party/widgets/include -Ibuild/generated/headers -DVERSION_MAJOR=3 -DBUILD_TYPE=debug -DPLUGIN_DIRECTORY=plugins -fno-common -o $@ $^\n",
    )
    return "make -k"


@case("make-no-rule", r"No rule to make target 'assets/logo\.svg'")
def make_no_rule(project: Project) -> str:
    project.write(
        "Makefile",
        'STEPS = $(shell seq 100 900)\nall: $(addprefix step-,$(STEPS)) icons\nstep-%:\n\t@echo "  GEN     build/generated/step_$*.txt from templates/step_$*.in"\nicons: assets/logo.svg\nstep-500: icons\n',
    )
    return "make -k"


@case("make-recipe-fails", r"codegen: unknown type 'int37' in schema line 12")
def make_recipe(project: Project) -> str:
    project.write(
        "gen.sh",
        'n=$1\necho "codegen: reading schemas/part_$n.schema and writing build/part_$n.c"\nif [ $n = 431 ]; then echo "codegen: unknown type \'int37\' in schema line 12" >&2; exit 3; fi\n',
    )
    project.write("Makefile", "all: $(addprefix part-,$(shell seq 100 800))\npart-%:\n\tsh gen.sh $*\n")
    return "make -k"


@case("make-recursive", r"worker\.c:\d+:\d+: error: expected .,. or .;.")
def make_recursive(project: Project) -> str:
    for n in range(20):
        for m in range(14):
            project.write(f"lib_{n:02}/part_{m:02}.c", f"int part_{n}_{m}(void) {{ return {m}; }}\n")
        project.write(
            f"lib_{n:02}/Makefile",
            "all: $(patsubst %.c,%.o,$(sort $(wildcard *.c)))\n%.o: %.c\n\t$(CC) -Wall -Wextra -O1 -g -I../include -I../generated/include -I../third_party/widgets/include -DVERSION_MAJOR=3 -DBUILD_TYPE=debug -DPLUGIN_DIRECTORY=plugins -c -o $@ $<\n",
        )
    project.write("lib_09/worker.c", "int worker(void) {\n    int x = 1\n    return x;\n}\n")
    project.write("Makefile", "all:\n\tfor d in lib_*; do $(MAKE) -k -C $$d; done; false\n")
    return "make -k"


@case(
    "cmake-configure",
    r"CMake Error at CMakeLists\.txt:\d+ \(message\):|libfrobnicate 2\.1 or newer is required",
)
def cmake_configure(project: Project) -> str:
    checks = "\n".join(
        f'message(STATUS "Checking for feature number {n} in the toolchain and the system headers - found")'
        for n in range(450)
    )
    later = checks.replace("feature", "option")
    project.write(
        "CMakeLists.txt",
        f'cmake_minimum_required(VERSION 3.10)\nproject(sample C)\n{checks}\nmessage(SEND_ERROR "libfrobnicate 2.1 or newer is required, found 1.9")\n{later}\n',
    )
    return "cmake -B build"


@case("cmake-build-verbose", r"item_055\.c:2:\d+: error: incompatible types|item_055\.c:2:\d+: error:")
def cmake_build(project: Project) -> str:
    for n in range(170):
        project.write(f"item_{n:03}.c", f"int item_{n}(void) {{ return {n}; }}\n")
    project.write(
        "item_055.c", "struct point { int x; };\nint item_55(void) { struct point p = 3; return p.x; }\n"
    )
    project.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.10)\nproject(sample C)\nfile(GLOB sources *.c)\nadd_library(items STATIC ${sources})\n",
    )
    return "cmake -B build && cmake --build build --verbose -- -k"


@case("ctest-verbose", r"pressure 17\.2 is above the limit of 15\.0")
def ctest_verbose(project: Project) -> str:
    project.write(
        "run.sh",
        'for i in 1 2 3 4; do echo "sensor $1 reading $i: pressure 12.$i, temperature 20.$i, all fine"; done\nif [ $1 = 63 ]; then echo "pressure 17.2 is above the limit of 15.0"; exit 1; fi\n',
    )
    tests = "\n".join(
        f"add_test(NAME sensor_{n} COMMAND sh ${{CMAKE_SOURCE_DIR}}/run.sh {n})" for n in range(180)
    )
    project.write(
        "CMakeLists.txt",
        f"cmake_minimum_required(VERSION 3.10)\nproject(sample NONE)\nenable_testing()\n{tests}\n",
    )
    return "cmake -B build >/dev/null && cd build && ctest -V"


@case("ninja-keep-going", r"unit_080\.c:1:\d+: error: unknown type name .uint33_t.")
def ninja_keep_going(project: Project) -> str:
    rules = "rule cc\n  command = gcc -fdiagnostics-color=always -Wall -Wextra -O1 -g -Iinclude -Ithird_party/a/include -Ithird_party/b/include -Ibuild/generated/headers -DVERSION_MAJOR=3 -DBUILD_TYPE=debug -DPLUGIN_DIRECTORY=plugins -c $in -o $out\n"
    builds = ""
    for n in range(240):
        project.write(f"unit_{n:03}.c", f"int unit_{n}(void) {{ return {n}; }}\n")
        builds += f"build unit_{n:03}.o: cc unit_{n:03}.c\n"
    project.write("unit_080.c", "uint33_t broken(void);\n")
    project.write("build.ninja", rules + builds)
    return "ninja -k 0 -v -j2"


@case("meson-test", r"expected 3 records, found 2")
def meson_test(project: Project) -> str:
    project.write(
        "check.sh",
        'echo "loading fixtures for case $1 from the archive"\nif [ $1 = 97 ]; then echo "expected 3 records, found 2"; exit 1; fi\n',
    )
    tests = "\n".join(f"test('case_{n}', sh, args: [files('check.sh'), '{n}'])" for n in range(200))
    project.write("meson.build", f"project('sample')\nsh = find_program('sh')\n{tests}\n")
    return "meson setup build >/dev/null && meson test -C build -v --num-processes 2"


@case("address-sanitizer", r"ERROR: AddressSanitizer: heap-buffer-overflow")
def address_sanitizer(project: Project) -> str:
    project.write(
        "main.c",
        '#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    int id = atoi(argv[1]);\n    for (int i = 0; i < 40; i++) printf("worker %d: processed batch %d of the queue\\n", id, i);\n    fflush(stdout);\n    int *data = malloc(10 * sizeof *data);\n    volatile int *view = data;\n    return view[id == 7 ? 10 : 9] * 0;\n}\n',
    )
    return "gcc -g -fsanitize=address -o main main.c && for i in $(seq 30); do ASAN_OPTIONS=detect_leaks=0 ./main $i; done"


@case("segmentation-fault", r"Segmentation fault")
def segmentation_fault(project: Project) -> str:
    project.write(
        "main.c",
        '#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    int id = atoi(argv[1]);\n    for (int i = 0; i < 40; i++) printf("node %d: heartbeat %d answered in time\\n", id, i);\n    fflush(stdout);\n    if (id == 23) *(volatile int *)0 = 1;\n    return 0;\n}\n',
    )
    project.write("run.sh", "for i in $(seq 60); do ./main $i; done\n")
    return "gcc -g -o main main.c && bash run.sh"


@case("undefined-behaviour", r"runtime error: signed integer overflow")
def undefined_behaviour(project: Project) -> str:
    project.write(
        "main.c",
        '#include <limits.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    int id = atoi(argv[1]);\n    for (int i = 0; i < 40; i++) printf("frame %d: macroblock row %d decoded, quality 87\\n", id, i);\n    fflush(stdout);\n    int top = id == 11 ? INT_MAX : 5;\n    printf("sum %d\\n", top + id);\n    return 0;\n}\n',
    )
    return "gcc -g -fsanitize=undefined -o main main.c && for i in $(seq 40); do ./main $i; done"


@case("c-assertion", r"Assertion .capacity > 0. failed")
def c_assertion(project: Project) -> str:
    project.write(
        "main.c",
        '#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    int capacity = atoi(argv[1]) == 31 ? 0 : 8;\n    for (int i = 0; i < 30; i++) printf("ring %s: slot %d written and read back\\n", argv[1], i);\n    fflush(stdout);\n    assert(capacity > 0);\n    return 0;\n}\n',
    )
    return "gcc -g -o main main.c && for i in $(seq 60); do ./main $i; done"


@case("clang-errors", r"view_120\.c:2:\d+: error: use of undeclared identifier 'colour'", tool="clang")
def clang_errors(project: Project) -> str:
    for n in range(260):
        project.write(f"view_{n:03}.c", f"int view_{n}(int unused) {{\n    int spare;\n    return {n};\n}}\n")
    project.write("view_120.c", "int view_120(void) {\n    return colour;\n}\n")
    return "for f in view_*.c; do clang -Wall -Wextra -c $f -o ${f%.c}.o; done"


@case("git-merge-conflict", r"CONFLICT \(content\): Merge conflict in documentation/handbook/chapter_41\.txt")
def git_merge(project: Project) -> str:
    project.write(
        "make.sh",
        """
git init -q -b main . && git config user.email a@example.org && git config user.name A
mkdir -p documentation/handbook && for i in $(seq 900); do printf 'one\\ntwo\\nthree\\n\\n\\n\\n\\nlast\\n' > documentation/handbook/chapter_$i.txt; done
git add . && git commit -qm base && git checkout -qb other
for i in $(seq 900); do sed -i 's/^last/last line/' documentation/handbook/chapter_$i.txt; done; sed -i 's/two/zwei/' documentation/handbook/chapter_41.txt
git commit -qam other && git checkout -q main
for i in $(seq 900); do sed -i 's/^one/first/' documentation/handbook/chapter_$i.txt; done; sed -i 's/two/deux/' documentation/handbook/chapter_41.txt
git commit -qam mine
""",
    )
    return "sh make.sh && git merge other"


@case("git-apply", r"error: patch failed: minutes/of-all-meetings/page_260\.txt:1")
def git_apply(project: Project) -> str:
    project.write(
        "make.sh",
        """
git init -q -b main . && git config user.email a@example.org && git config user.name A
mkdir -p minutes/of-all-meetings && for i in $(seq 900); do echo "page $i" > minutes/of-all-meetings/page_$i.txt; done
git add . && git commit -qm base
for i in $(seq 900); do echo "sheet $i" > minutes/of-all-meetings/page_$i.txt; done; git diff > change.patch; git checkout -q .
echo "something else" > minutes/of-all-meetings/page_260.txt
""",
    )
    return "sh make.sh && git apply --verbose change.patch"


@case("git-push-rejected", r"refs/heads/release-137:refs/heads/release-137.*rejected")
def git_push(project: Project) -> str:
    project.write(
        "make.sh",
        """
git init -q --bare remote.git
git init -q -b main work && cd work && git config user.email a@example.org && git config user.name A
git remote add origin ../remote.git
git commit -q --allow-empty -m base && git push -q origin main
git commit -q --allow-empty -m theirs && git push -q origin HEAD:release-137 && git reset -q --hard HEAD~1
git commit -q --allow-empty -m mine
for i in $(seq 100 999); do git branch release-$i; done
""",
    )
    return "sh make.sh && cd work && git push --porcelain --verbose origin --all"


@case("shell-trace", r"deploy_helper: command not found")
def shell_trace(project: Project) -> str:
    project.write(
        "deploy.sh",
        'set -x\nfor i in $(seq 700); do\n  name="service-$i"\n  if [ $i = 300 ]; then deploy_helper --name "$name"; else echo "copied $name to /srv/releases/current/$name" > /dev/null; fi\ndone\n',
    )
    return "bash deploy.sh"


@case("tar-missing-file", r"tar: data/part_333\.bin: Cannot (?:stat|open): No such file or directory")
def tar_missing(project: Project) -> str:
    return "mkdir data && for i in $(seq 100 1400); do echo $i > data/part_$i.bin; done; ls data/* > list && rm data/part_333.bin && tar -cvf /dev/null -T list --verbose"


@case("cp-permission", r"cp: .*Permission denied|cp: cannot .*")
def cp_permission(project: Project) -> str:
    return "mkdir from to && for i in $(seq 100 1100); do echo $i > from/item_$i.dat; done; mkdir to/item_500.dat && cp -v from/* to/"


@case("find-exec", r"sed: can't read vendor/module_317/settings\.ini: No such file or directory")
def find_exec(project: Project) -> str:
    return 'mkdir vendor && for i in $(seq 100 900); do mkdir -p vendor/module_$i; echo "key = $i" > vendor/module_$i/settings.ini; done; rm vendor/module_317/settings.ini; for d in vendor/*; do echo "rewriting $d/settings.ini for the new release"; sed -i s/key/name/ $d/settings.ini; done'


@case(
    "shellcheck",
    r"SC2154 \(warning\): target is referenced but not assigned|SC2154.*target is referenced but not assigned",
    tool="shellcheck",
)
def shellcheck(project: Project) -> str:
    lines = "\n".join(f"echo $value_{n}" for n in range(170))
    assigns = "\n".join(f"value_{n}=$(date)" for n in range(170))
    project.write("script.sh", f'#!/bin/bash\n{assigns}\n{lines}\nrm -rf "${{target}}/cache"\n{lines}\n')
    return "shellcheck script.sh"


@case("perl-prove", r"not ok 3 - the parser keeps order|Failed test 'the parser keeps order'")
def perl_prove(project: Project) -> str:
    for n in range(60):
        third = "0" if n == 31 else "1"
        project.write(
            f"t/part_{n:02}.t",
            f'use Test::More;\nok(1, "reads part {n}") for 1..20;\nok({third}, "the parser keeps order");\nok(1, "closes part {n}") for 1..20;\ndone_testing;\n'.replace(
                "for 1..20;", "foreach 1..20;"
            ),
        )
    return "prove -v t"


@case("php-lint", r"PHP Parse error:\s+syntax error|Parse error: .*page_210\.php", tool="php")
def php_lint(project: Project) -> str:
    for n in range(100, 420):
        project.write(f"site/pages/section_{n % 7}/page_{n}.php", f"<?php\necho {n};\n")
    project.write("site/pages/section_0/page_210.php", "<?php\necho 210\necho 1;\n")
    return "for f in $(find site -name '*.php' | sort); do echo \"checking the syntax of file $f before the upload\"; php -l $f; done"


@case("ruby-exception", r"undefined method .fetch_all' for nil|NoMethodError", tool="ruby")
def ruby_exception(project: Project) -> str:
    project.write(
        "job.rb",
        'id = ARGV[0].to_i\n30.times { |i| puts "job #{id}: row #{i} imported from the staging table" }\n$stdout.flush\nstore = id == 17 ? nil : Struct.new(:x) { def fetch_all; end }.new\nstore.fetch_all\n',
    )
    return "for i in $(seq 40); do ruby job.rb $i; done"


@case("terraform-precondition", r"Error: Resource precondition failed", tool="terraform")
def terraform_precondition(project: Project) -> str:
    resources = "\n".join(
        f'resource "terraform_data" "node_{n}" {{\n  input = "node number {n} of the cluster"\n}}'
        for n in range(240)
    )
    bad = 'resource "terraform_data" "gateway" {\n  input = "x"\n  lifecycle {\n    precondition {\n      condition     = length(terraform_data.node_7.input) > 900\n      error_message = "The gateway needs an address."\n    }\n  }\n}\n'
    project.write("main.tf", resources + "\n" + bad)
    return "terraform init -no-color >/dev/null && terraform plan -no-color"
