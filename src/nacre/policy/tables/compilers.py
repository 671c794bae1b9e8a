# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Compilers, linkers, and the tools for what they make or read.

Above: `tables` finds a program's entry by its name. Below: `schema`. Most of them replace any word that begins with `@` by
the words of a file, and load plugins: both are refused under every spelling.
"""

from __future__ import annotations

from nacre.policy.tables.schema import Program

_GCC_LINKER = r"-Wl(?:,(?:-rpath(?:-link)?[,=][^,@][^,]*|--(?:no-)?as-needed|-z,[a-z]+|--gc-sections|-s|-S|-O\d|-Bstatic|-Bdynamic|-Bsymbolic|--no-undefined|--start-group|--end-group|--whole-archive|--no-whole-archive|--export-dynamic|-E|-soname[,=][^,@][^,]*|--build-id(?:=\w+)?|-dead_strip|--fatal-warnings))+"
_GCC_FEATURES = r"-f(?:no-)?(?:PIC|pic|PIE|pie|omit-frame-pointer|sanitize=[a-z,-]+|sanitize-recover=[a-z,-]+|stack-protector(?:-\w+)?|exceptions|rtti|lto(?:=\w+)?|openmp|inline|inline-functions|fast-math|strict-aliasing|unroll-loops|visibility=\w+|visibility-inlines-hidden|data-sections|function-sections|diagnostics-color(?:=\w+)?|color-diagnostics|common|wrapv|signed-char|unsigned-char|permissive|max-errors=\d+|error-limit=\d+|builtin|math-errno|trapping-math|asynchronous-unwind-tables|unwind-tables|stack-clash-protection|cf-protection(?:=\w+)?|gnu89-inline|ms-extensions|tree-vectorize|vectorize|threadsafe-statics|char8_t|coroutines|concepts|blocks|objc-arc|short-enums|split-stack|plt|semantic-interposition|non-call-exceptions|delete-null-pointer-checks|strict-overflow|zero-initialized-in-bss|keep-inline-functions|debug-types-section|verbose-asm|freestanding|hosted|analyzer|template-depth=\d+|constexpr-\w+=\d+|opt-info(?:-\w+)*|time-report|diagnostics-format=(?:json|text|sarif-stderr|json-stderr|clang|msvc)|diagnostics-show-\w+|ident|merge-constants|stack-check|tls-model=[a-z-]+|ivopts|gcse|reciprocal-math|associative-math|finite-math-only|signed-zeros|excess-precision=\w+|fp-contract=\w+|align-\w+(?:=\d+)?|macro-prefix-map=\S+|file-prefix-map=\S+|debug-prefix-map=\S+)"
# What -fsyntax-only only looks at, or the language of it: an assembler's source is assembled all the same.
_GCC_SOURCES = (
    "-fsyntax-only",
    r"-|.*\.(?:[chCHMm]|cc|cp|cpp|cxx|c\+\+|CPP|hh|hpp|hxx|h\+\+|mm|i|ii|mi|mii|tcc|inl|ipp|cu)|(?:objective-)?c(?:\+\+)?(?:-header|-cpp-output)?|none|cuda",
)
_RUST_TARGET = r"(?!.*\.json\Z)[\w.-]+"
# Another toolchain is other programs, in any directory: `rustc +/tmp/x`.
_RUST_TOOLCHAIN = r"\+(?!(?:stable|beta|nightly|\d+\.\d+(?:\.\d+)?)\Z)"

PROGRAMS = (
    Program(
        names="ar gcc-ar llvm-ar",
        plain_values=True,
        reason="plugins are code, a list of options is in a file, and x brings files of its own naming",
        options="-r -c -s -t -q -d -m -p -u -v -D -U -V -h --help --version --target=",
        runs="-x --plugin=",
        # Behind an option, the first word is the archive, and not what is to be done with it.
        # With a, b or i a member stands before the archive: `ar rcb x.o ~/.zshenv y`.
        operands="text change alter",
        texts="-r -c -s -t -q -d -m -p -u -v -D -U --target",
        # With M its input is a script.
        refuses=r"@|-?[a-zA-Z]*[xM][a-zA-Z]*\Z(?<!\.o)",
        response_files=True,
    ),
    Program(
        names="ld ld.bfd ld.gold ld.lld gold",
        plain_values=True,
        reason="plugins are code, and files of options say more",
        style="joined",
        options="-z= -h= -soname= -rpath= -rpath-link= -dynamic-linker= -s -S -r -i -t -v -V -x -X -E -n -N -shared -static -pie -no-pie -Bstatic -Bdynamic -Bsymbolic -nostdlib --help --version --verbose --gc-sections --no-gc-sections --as-needed --no-as-needed --start-group --end-group --whole-archive --no-whole-archive --export-dynamic --strip-all --strip-debug --build-id --no-undefined --allow-multiple-definition --fatal-warnings --print-map --stats --trace --relocatable --eh-frame-hdr --hash-style= --entry= --soname= --rpath= --dynamic-linker= --image-base= --defsym= --wrap= --oformat= --sort-section= --threads= --icf= --color-diagnostics",
        # A name in one word with its letter can be another option: -error-handling-script=./x runs x.
        # And -mllvm, of lld, takes the next word for an option of LLVM, whose -load is a library.
        checks=(
            ("-e=", r"\w+"),
            ("-m=", r"(?:elf|aarch64|arm|i386)\w*"),
            ("-l= --library=", r":?[\w.+-]+"),
        ),
        # A script of the linker places sections; it runs nothing, but names the file that is written if nobody does.
        tamed="-T -o",
        reads="-L= --library-path= --version-script= --dynamic-list= --retain-symbols-file= -R= --just-symbols=",
        writes="-o= --output= -Map= --Map= --dependency-file= --out-implib=",
        only_with="-o --output --version --help",
        alone="-v -V --verbose",
        runs="-T= --script= -plugin= --plugin= -plugin-opt= --plugin-opt= -P= -A= -c= --mri-script= -F= -f= -a=",
        operands="read",
        refuses="@",
        response_files=True,
    ),
    *(
        Program(
            names=names,
            # Some options take the next word to clang only.
            plain_values=True,
            reason="plugins, wrappers, specifications and options of other tools are programs; -o writes",
            style="joined",
            options="-c -S -E -P -C -CC -dM -dD -dN -dI -v -Q -w -s -pg -pipe -ansi -pedantic -pedantic-errors -pthread -shared -static -static-libgcc -static-libstdc++ -rdynamic -nostdlib -nostdinc -nodefaultlibs -nostartfiles -no-pie -pie -M -MM -MP -MG -### -dumpversion -dumpfullversion -dumpmachine -print-search-dirs -print-libgcc-file-name -fsyntax-only -traditional -trigraphs -emit-llvm --version --help -D= -U= -x= -std= -MT= -MQ= -u= -z= -A= -stdlib= --analyze",
            pattern=rf"-W(?!l,|a,|p,|l\Z|a\Z|p\Z)[A-Za-z0-9+=-]+|-O(?:[0-3sgz]|fast)?|-g(?:dwarf(?:-\d)?|gdb|[0-3]|line-tables-only)?|-m(?!llvm|mlir|plugin|odule)[a-z0-9=.,+-]+|{_GCC_FEATURES}|{_GCC_LINKER}|-print-(?:file-name|prog-name)=\w+|--help=[a-z,^-]+|-Rpass(?:-missed|-analysis)?=[\w.*-]+",
            # The name of a library, or of its file: `-l:../x.a` is one that lies elsewhere.
            # clang looks for a linker by the name of the target.
            checks=(
                ("-e=", r"\w+"),
                ("-l=", r":?[\w.+-]+"),
                ("-arch= --target= -target=", r"[\w.+-]+"),
            ),
            reads="-I= -L= -isystem= -iquote= -idirafter= -include= -imacros= -isysroot= -F= -iframework=",
            # A script of the linker names the file that is written, if nobody does.
            tamed="-T -o",
            # Without -o it is a.out, or a file beside the first one.
            shows_only=_GCC_SOURCES,
            only_with=f"{shows} -o -E -M -MM -### --version --help -dumpversion -dumpmachine -print-search-dirs -print-libgcc-file-name -print-file-name -print-prog-name",
            # clang passes over -dumpfullversion.
            alone="-v -Q -### -dumpfullversion",
            writes="-o= -MD -MMD -MF= -gsplit-dwarf -save-temps? -dumpdir= -dumpbase= --coverage -aux-info= -fprofile-generate -fprofile-instr-generate -ftest-coverage -fprofile-arcs",
            # clang takes the linker that lies below --sysroot.
            runs="-T= -wrapper= --sysroot= -fplugin? -fplugin-arg? -specs? --specs? -B= -fuse-ld? --ld-path? --config? -Xclang= -Xlinker= -Xassembler= -Xpreprocessor= -load= -mllvm= -Wl, -Wa, -Wp, -fpass-plugin? -fprofile-use? -fmodules-cache-path? -resource-dir= -fmodule-mapper?",
            operands="maybe",
            refuses="@",
            response_files=True,
            dashes=False,
        )
        # What is only checked leaves files of its modules behind, in Fortran.
        for names, shows in (("gcc g++ cc c++ clang clang++", "-fsyntax-only"), ("gfortran", ""))
    ),
    Program(
        names="rustc",
        reason="linkers and other code generation options are programs; -o writes",
        options="-O -g -v -V -h -l= -A= -W= -D= -F= --edition= --crate-type= --crate-name= --test --explain= --cfg= --check-cfg= --version --verbose --help --error-format= --color= --json= --cap-lints= --remap-path-prefix=",
        checks=(
            (
                "-C= --codegen=",
                r"(?:opt-level|debuginfo|lto|codegen-units|target-cpu|target-feature|panic|overflow-checks|debug-assertions|strip|incremental)=?[\w.,+-]*|help",
            ),
            # A target in a file names its linker; a kind and a path: it is written there.
            ("--target=", _RUST_TARGET),
            ("--print=", r"[\w-]+"),
        ),
        writes="-o= --out-dir= --emit=",
        only_with="-o --out-dir --emit -V --version -h --help --explain",
        alone="-v --verbose --print --target -C --codegen --edition --cfg --color",
        # Macros of libraries that are found there are code that the compiler runs.
        runs="-L= -Z= --sysroot= --env-set= --extern=",
        operands="maybe",
        refuses=rf"@|{_RUST_TOOLCHAIN}",
        response_files=True,
        plain_values=True,
    ),
    Program(
        names="ctags universal-ctags exuberant-ctags",
        reason="files of options define commands; -f writes",
        # The value of a long option stands in the same word: `--languages x` is a file.
        options="-a -B -F -n -N -R -u -V -w -x --append? --recurse? --languages? --langmap? --language-force? --fields? --extras? --extra? --kinds-all? --tag-relative? --totals? --sort? --links? --quiet? --verbose? --excmd? --format? --file-scope? --if0? --line-directives? --list-kinds? --list-kinds-full? --list-languages --list-fields? --list-extras? --list-maps? --version --help --license --maxdepth? --pattern-length-limit?",
        pattern=r"--(?:[A-Za-z+#]+-kinds|kinds-[A-Za-z+#]+|fields-[A-Za-z+#]+)=[\w+*{}-]*",
        reads="-I=",
        # A list of files.
        follows="-L=",
        writes="-f= -o= -e",
        only_with="-f -o -x --version --help --license --list-kinds --list-kinds-full --list-languages --list-fields --list-extras --list-maps",
        # A shell is told to sort the file.
        checks=(
            ("-f= -o=", r"[\w./+-]+"),
            # Behind -x, the others write a file after all.
            ("--output-format=", r"json|xref|u-ctags"),
            # A list of patterns in a file.
            ("--exclude? --exclude-exception?", r"(?!@).*"),
        ),
        runs="--options= --options-maybe= --optlib-dir= --_interactive? --filter?",
        trees="-R --recurse",
        operands="read",
        plain_values=True,
    ),
    Program(
        names="clang-tidy",
        reason="plugins and options of the compiler are code; fixes are written",
        style="words",
        options="--checks= --warnings-as-errors= --header-filter= --exclude-header-filter= --list-checks --dump-config --explain-config --quiet --use-color --system-headers --format-style= --line-filter= --allow-no-checks --verify-config --enable-check-profile --enable-module-headers-parsing --version --help",
        # Settings can hold options of the compiler.
        checks=(("--config=", r"(?s:(?!.*ExtraArgs)[\w\s:,.*'\"{}\[\]-]*)"),),
        places="-p= --config-file=",
        writes="--fix --fix-errors --fix-notes --export-fixes= --store-check-profile=",
        runs="--load= --extra-arg= --extra-arg-before= --vfsoverlay= --removed-arg=",
        operands="own",
        after=r"-[ID][^@]+|-std=[\w+]+|-W[a-z-]+|-x|c|c\+\+",
        # The configuration and the compiler's options are looked for beside what is named.
        refuses=r"@|[/~]|(?:.*/)?\.\.(?:/|\Z)",
        response_files=True,
    ),
    Program(
        names="clang-format",
        reason="-i writes",
        options="-n -h -v --dry-run --Werror -Werror -verbose -dry-run --Wno-error= --Wclang-format-violations --cursor= --dump-config --fallback-style= --ferror-limit= --length= --lines= --offset= --output-replacements-xml --qualifier-alignment= --sort-includes --verbose --version --help --fail-on-incomplete-format --list-ignored",
        checks=(("--style= -style=", r"(?i)LLVM|GNU|Google|Chromium|Microsoft|Mozilla|WebKit|file|\{.*\}"),),
        # A style is looked for beside it.
        reads="--assume-filename=",
        writes="-i",
        # A list of files, which are changed.
        runs="--files=",
        operands="read",
        refuses="@",
        response_files=True,
        plain_values=True,
    ),
    Program(
        names="rustfmt",
        reason="other settings; files are written",
        options="-h -l -q -v -V --help --version --verbose --quiet --check --edition= --style-edition= --color= --files-with-diff --backup",
        checks=(("--emit=", "stdout|files"),),
        places="--config-path=",
        runs="--config=",
        operands="alter",
        refuses=_RUST_TOOLCHAIN,
        plain_values=True,
    ),
    Program(
        names="protoc",
        reason="plugins are programs, by an option or by the name of an output",
        options="-h --version --help --encode= --decode= --decode_raw --print_free_field_numbers --error_format= --fatal_warnings --include_imports --include_source_info --retain_options --experimental_allow_proto3_optional --deterministic_output --python_opt= --cpp_opt= --java_opt= --pyi_opt= --csharp_opt= --kotlin_opt= --objc_opt= --php_opt= --ruby_opt= --rust_opt=",
        reads="-I= --proto_path= --descriptor_set_in=",
        # Where files are put below the output, and settings that are read.
        checks=(
            (
                "--go_opt= --go-grpc_opt= --grpc-gateway_opt= --openapiv2_opt=",
                r"(?!.*\.\.)(?!.*[=,:][/~])\w[\w.,:=/;@+-]*",
            ),
        ),
        # The last four are the usual plugins for Go, which come from where programs are found by their names.
        changes="--cpp_out= --csharp_out= --java_out= --kotlin_out= --objc_out= --php_out= --pyi_out= --python_out= --ruby_out= --rust_out= --go_out= --go-grpc_out= --grpc-gateway_out= --openapiv2_out=",
        writes="-o= --descriptor_set_out= --dependency_out=",
        runs="--plugin=",
        operands="read",
        refuses="@",
        response_files=True,
    ),
    Program(
        names="objcopy llvm-objcopy",
        reason="plugins are code; parts are written as files",
        options="-I= -O= -F= -B= -S -g -x -X -w -v -V -h -p -D -U -j= -R= -K= -N= -G= -W= -L= --input-target= --output-target= --target= --binary-architecture= --only-keep-debug --strip-all --strip-debug --strip-dwo --strip-unneeded --discard-all --discard-locals --only-section= --remove-section= --keep-section= --keep-symbol= --strip-symbol= --redefine-sym= --rename-section= --set-section-flags= --set-section-alignment= --gap-fill= --pad-to= --set-start= --change-start= --change-addresses= --preserve-dates --verbose --version --help --info --compress-debug-sections? --decompress-debug-sections --localize-symbol= --globalize-symbol= --weaken --weaken-symbol= --wildcard --prefix-symbols= --prefix-sections= --keep-file-symbols --add-symbol= --enable-deterministic-archives --disable-deterministic-archives --extract-dwo --merge-notes --no-merge-notes",
        reads="--add-section= --update-section= --add-gnu-debuglink= --keep-symbols= --strip-symbols= --keep-global-symbols= --localize-symbols= --redefine-syms= --weaken-symbols=",
        writes="--dump-section= --split-dwo= --build-id-link-dir=",
        runs="--plugin=",
        operands="change",
        refuses="@",
        response_files=True,
        plain_values=True,
    ),
    Program(
        names="as gas",
        plain_values=True,
        reason="-o and listings are written; files of options say more",
        style="joined",
        options="-g -W -Z -R -J -K -L -D -v -V -ad -al -an -as -alh -alhn -ahls --32 --64 --x32 -march= -mtune= -msyntax= -mmnemonic= --gdwarf-2 --gdwarf-3 --gdwarf-4 --gdwarf-5 --gen-debug --keep-locals --warn --no-warn --fatal-warnings --noexecstack --execstack --statistics --version --help --target-help --defsym=",
        reads="-I=",
        writes="-o= --MD= -a=",
        only_with="-o --version --help --target-help",
        operands="read",
        refuses="@",
        response_files=True,
    ),
    Program(
        names="gcov llvm-cov",
        reason="a path that is not known; what was counted is written beside the code",
        only_with="-n --no-output -t --stdout -v --version -h --help",
        options="-a -b -c -d -f -h -H -k -l -m -n -p -q -r -t -u -v -w -x -D --all-blocks --branch-probabilities --branch-counts --display-progress --function-summaries --human-readable --use-colors --long-file-names --demangled-names --no-output --preserve-paths --relative-only --stdout --unconditional-branches --verbose --version --help --hash-filenames --debug",
        reads="-s= --source-prefix= -o= --object-directory= --object-file=",
        # Also with -n.
        writes="-i -j --json-format",
        operands="read",
        refuses=r"@|(?:show|report|export|convert-for-testing)\Z",
        response_files=True,
        plain_values=True,
    ),
    Program(
        names="strip ranlib",
        plain_values=True,
        reason="-o writes; plugins are code",
        options="-d -g -s -S -x -X -p -v -V -h -w -D -U -t -K= -N= -R= -I= -O= -F= -j= --help --version --strip-all --strip-debug --strip-unneeded --only-keep-debug --preserve-dates --verbose --add-gnu-debuglink= --only-section= --remove-section=",
        changes="-o=",
        runs="--plugin=",
        operands="change",
        refuses="@",
        response_files=True,
    ),
    Program(
        names="objdump readelf size addr2line c++filt otool",
        reason="plugins are code",
        # A path stands in a word of its own: `addr2line -e /x`.
        pattern=r"-[A-Za-z0-9]+(?:=?[\w,.:+-]*)|--(?!pl?u?g?i?n?(?:=|\Z))[a-z][a-z-]*(?:=[\w,.:+-]*)?",
        runs="--plugin=",
        operands="read",
        refuses="@",
        response_files=True,
    ),
    Program(
        names="nm",
        reason="plugins are code",
        options="-a -A -B -C -D -e -f= -g -h -j -l -n -o -p -P -r -s -S -t= -u -v -V -W -X= --debug-syms --demangle? --no-demangle --dynamic --extern-only --format= --line-numbers --numeric-sort --no-sort --portability --print-armap --print-file-name --print-size --quiet --radix= --reverse-sort --size-sort --special-syms --synthetic --target= --defined-only --undefined-only --unicode= --version --no-weak --with-symbol-versions --without-symbol-versions --just-symbols --help",
        runs="--plugin=",
        operands="read",
        refuses="@",
        response_files=True,
    ),
)
