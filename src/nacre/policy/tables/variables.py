# ruff: noqa: E501 - one row, one line, like the other tables
"""Variables of the environment: which ones are harmless to the programs that see them, and which change what runs.

Above: `variables` asks about every assignment. Below: `model`. The first table is **positive**: under an allowlist a
variable that programs see is one of these, with a value that matches, or a person has named it. The second is for
everything else: with deny rules only, and for variables that no program sees but the shell itself.
"""

from __future__ import annotations

from nacre.policy.model import names

# Variables that change what runs, which code is loaded, or which configuration is read.
DANGEROUS_VARIABLE = (
    r"(?:PATH|CDPATH|IFS|HOME|ENV|BASH_.*|BASHOPTS|EXECSHELL|FCEDIT|SHELLOPTS|SHELL|PS[0-4]|PROMPT_COMMAND"
    r"|ZDOTDIR|FPATH|NULLCMD|READNULLCMD|HISTFILE|(?:chpwd|precmd|preexec|periodic|zshexit|zshaddhistory|zsh_directory_name)_functions|PROMPT_EOL_MARK|EXECIGNORE|FUNCNEST|GLOBIGNORE|POSIXLY_CORRECT|HISTCHARS|histchars|KEYBOARD_HACK|TMPPREFIX|TMPSUFFIX|XDG_.*|FIGNORE"
    r"|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|GETCONF_DIR|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN|M(?:ALLOC_|alloc).*|PATH_LOCALE|GLIBC_TUNABLES|RESOLV_.*"
    r"|GIT_.*|SSH_.*|SVN_.*|HG.*|CVS_.*|SUDO_.*|GNUPGHOME|GPG_.*|PINENTRY_.*"
    r"|.*PAGER|.*EDITOR|VISUAL|.*BROWSER|.*_ASKPASS|ASKPASS|LESS.*|MORE|MAN(?:PATH|PAGER|OPT|ROFF.*|SECT|_.*)|GROFF.*|TROFF|TERMINFO.*|TERMCAP|VIMINIT|EXINIT|GVIMINIT|VIM|VIM_.*|VIMRUNTIME|MYVIMRC|NVIM_.*|EMACS.*|INPUTRC"
    r"|PYTHON(?!UNBUFFERED\b|DONTWRITEBYTECODE\b|HASHSEED\b|UTF8\b|IOENCODING\b|FAULTHANDLER\b|DEVMODE\b|OPTIMIZE\b).*|PIP_(?!DISABLE_PIP_VERSION_CHECK\b|NO_CACHE_DIR\b|NO_INPUT\b).*|UV_.*|POETRY_.*|VIRTUAL_ENV|CONDA_.*|CONDARC|MAMBA.*|PYTEST_.*|PYLINT.*|COVERAGE_.*|TOX_.*|NOX_.*|INVOKE_.*|FABRIC_.*|RUFF_(?!NO_CACHE\b|OUTPUT_FORMAT\b).*|BLACK_.*|MYPY_C.*|HATCH_.*|PDM_.*|RYE_.*|PIPENV_(?!VERBOSITY\b|VENV_IN_PROJECT\b|IGNORE_VIRTUALENVS\b).*|PIPX_.*|SETUPTOOLS_(?!SCM_).*|DISTUTILS_.*|IPYTHON.*|JUPYTER_.*"
    # Managers of versions: their hooks and directories decide which program a name is.
    r"|(?:PYENV|RBENV|NODENV|GOENV|JENV|PLENV|NVM|VOLTA|FNM|ASDF|MISE|SDKMAN|DIRENV)_.*"
    r"|NODE_(?!ENV\b).*|(?i:npm_.*)|YARN_.*|PNPM_.*|BUN_.*|DENO_.*|COREPACK_.*|ELECTRON_.*|TS_NODE_.*|NYC_.*|BABEL_(?!ENV\b).*|LERNA_.*|PUPPETEER_.*PATH|CHROME_BIN|CHROME_PATH|FIREFOX_BIN"
    # Where npm and make look for and put what is global: npm reads its configuration there.
    r"|PREFIX|DESTDIR|INIT_CWD"
    # By these the server knows its own processes and settings.
    r"|NACRE_.*"
    r"|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|RAKE.*|LUA_.*|PHP.*|PHPRC|COMPOSER_.*|TCL.*|R_.*|JULIA_.*|ERL_.*|ELIXIR_.*|MIX_(?!ENV\b).*|REBAR_.*"
    r"|JAVA.*|_JAVA_OPTIONS|JDK_.*|JRE_.*|JVM_OPTS|M2.*|KOTLIN_.*|SCALA_.*|LEIN_.*|CLJ_.*|COURSIER_.*|(?:USE_)?BAZEL.*|COMPlus_.*|CLASSPATH|MAVEN_.*|MVN_.*|GRADLE_.*|ANT_.*|SBT_.*|DOTNET_(?!CLI_TELEMETRY_OPTOUT\b|NOLOGO\b|ENVIRONMENT\b).*|COR_.*|CORECLR_.*|MSBUILD.*|NUGET_.*"
    r"|GO(?!(?:OS|ARCH|ARM|ARM64|AMD64|386|WASM|MIPS\w*|PPC64|RISCV64|MAXPROCS|GC|TRACEBACK|MEMLIMIT|EXPERIMENT)\Z|OGLE)[A-Z0-9_]+|CGO_(?!ENABLED\b).*|CARGO(?!_TERM_COLOR\b|_TERM_PROGRESS.*\b|_INCREMENTAL\b).*|RUSTC.*|RUSTUP.*|RUSTFLAGS|RUSTDOC.*|RUSTFMT.*|CLIPPY_.*|NEXTEST_.*|BINDGEN_.*|LIBCLANG_.*|LLVM_CONFIG.*"
    r"|(?:(?:HOST|TARGET|BUILD)_)?(?:CC|CXX|CPP|LD|AR|AS|NM|RANLIB|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS)(?:_.*)?|CCC_.*|CUDACXX|CUDAHOSTCXX|SWIFT_EXEC|QA_OVERRIDE.*|COLLECT_.*|DEPENDENCIES_OUTPUT|SUNPRO_DEPENDENCIES|CPLUS_INCLUDE_PATH|OBJC\w*_INCLUDE_PATH|CLANG_.*|SDKROOT|SCCACHE.*|ICECC_.*"
    # Variables of make's built-in rules.
    r"|LDLIBS|LOADLIBES|TARGET_ARCH|TARGET_MACH|OUTPUT_OPTION|ARFLAGS|ASFLAGS|LFLAGS|YFLAGS|FFLAGS|COFLAGS|GFLAGS|LEX|YACC|FC|F77|M2C|PC|CO|GET|OBJC|LINT|MAKEINFO|TEX|TEXI2DVI|C?WEAVE|C?TANGLE|RM"
    r"|COMPILER_PATH|GCC_.*|LIBRARY_PATH|C_INCLUDE_PATH|CPATH|CCACHE_.*|DISTCC_.*|MAKE.*|MFLAGS|GNUMAKEFLAGS|CMAKE_.*|CTEST_(?!OUTPUT_ON_FAILURE\b|PARALLEL_LEVEL\b|PROGRESS_OUTPUT\b).*|NINJA_.*|MESON_.*|SCONS.*|JUST_.*|STACK_.*|CABAL_.*|GHC.*|ZIG_.*|DART_.*|PKG_CONFIG.*|CONFIG_SITE|CONFIG_SHELL"
    r"|DOCKER_(?!BUILDKIT\b).*|CONTAINER_.*|CONTAINERS_.*|CONTAINERD_.*|_CONTAINERS_.*|BUILDAH_.*|BUILDX_.*|BUILDKIT_(?!PROGRESS\b).*|COMPOSE_(?!PROJECT_NAME\b|PROFILES\b|ANSI\b|PROGRESS\b|PARALLEL_LIMIT\b).*|REGISTRY_AUTH_FILE|STORAGE_(?:DRIVER|OPTS|CONF)|NERDCTL_.*|CNI_.*|NETAVARK_.*|CONMON.*|PODMAN_.*|KUBE.*|KUSTOMIZE_.*|HELM_.*|TERRAGRUNT_.*|TG_.*|TOFU_.*|CLOUDSDK_(?!CORE_).*|BOTO_.*|AZURE_CONFIG_DIR|AZURE_EXTENSION_DIR|GH_(?!TOKEN\b|HOST\b|REPO\b|DEBUG\b|ENTERPRISE_TOKEN\b|PROMPT_DISABLED\b|NO_UPDATE_NOTIFIER\b).*|GLAB_.*|TF_(?!LOG\b|IN_AUTOMATION\b|INPUT\b|VAR_.*).*|AWS_(?!REGION\b|DEFAULT_REGION\b|PROFILE\b).*|ANSIBLE_.*|VAGRANT_.*"
    r"|RSYNC_.*|RIPGREP_CONFIG_PATH|FZF_.*|FD_.*|BAT_.*|[EF]?GREP|DIFF|CMP|GREP_OPTIONS|TAR_.*|TAPE|PATCH_GET|MAGIC|GZIP|XZ|XZ_.*|BZIP.*|ZIP|ZIPOPT|ZIPINFO.*|UNZIP.*|CURL_.*|WGETRC|SYSTEM_WGETRC|(?i:(?:https?|ftp|all|wss?|socks)_proxy)|QLOGDIR|KRB5.*|SASL_.*|LDAP.*|P11_KIT_.*|PKCS11_.*|SOFTHSM.*|RANDFILE|CTLOG_FILE|AUTOSSH_.*|HTTPIE_.*|NMAP.*|MTR_.*|GNUTLS_(?!DEBUG_LEVEL\b).*|WIRESHARK_.*|OPENSSL_.*|SSL_.*|SSLKEYLOGFILE|REQUESTS_CA_BUNDLE|PSQLRC|PSQL_.*|MARIADB_.*|LIBMYSQL_.*|REDISCLI_(?!AUTH\b).*|MONGOSH_.*|PG(?!PASSWORD\b|USER\b|HOST\b|PORT\b|DATABASE\b).*|MYSQL_.*|SQLITE_.*"
    r"|G?AWK.*|PMA_.*|BC_.*|DC_.*|XML_.*|ACKRC|JQ_.*|TMUX.*|INFOPATH|QT_.*|GTK_.*|GIO_.*|GST_.*|DBUS_.*|DISPLAY|XAUTHORITY|WAYLAND_.*|OPENER|MAILCAPS|MAIL|MAILPATH|LS_OPTIONS|SYSTEMD_.*|DEBUGINFOD_.*|VALGRIND_.*|FAKEROOT.*|PROXYCHAINS.*|TORSOCKS_.*|APT_.*|DPKG_.*|DEBCONF_.*|PACMAN.*|RPM_.*|SNAP_.*|FLATPAK_.*|HOMEBREW_(?!NO_).*|IRBRC|PRYRC|MAILRC|NAIL_.*|(?:SYS)?SCREENRC|TIGRC_.*|MICRO_.*|XH_.*|(?:IP|TC)_LIB_DIR|MAGICK_.*|GVBINDIR|ZYPP_.*|_PYTHON_.*|__PYVENV_.*|_POSIX2_VERSION"
    r"|COMSPEC|PATHEXT|NODEFAULTCURRENTDIRECTORYINEXEPATH|PSModulePath)"
)  # fmt: skip

# Names that tell from where something is fetched: what they name is code, whatever their end.
FETCHES = r".*(?:DOWNLOAD|MIRROR|CDN|INDEX|REGISTRY|REPO|PROXY|DIST|BINARY|PACKAGE|RELEASE|UPDATE|PLUGIN|MODULE|ENGINE).*"

# How a text is divided into characters decides how a shell reads it: in some encodings a backslash is the
# second half of a character. The shell itself takes these, exported or not.
LOCALE_VARIABLE = r"LANG|LANGUAGE|LC_[A-Z]+"
PLAIN_LOCALE = (
    r"|(?:C|POSIX|en_[A-Z]{2}|(?:C|[a-z]{2,3}(?:_[A-Z]{2})?)\.(?i:utf-?8))(?:@[a-z]+)?|[a-z]{2}(?::[a-z]{2})*"
)
# make expands the values of variables: `$(shell ...)` in one of them is a command. It also puts them into texts for a shell.
PLAIN_FOR_MAKE = r"[A-Za-z0-9_.,:@%+/= -]*"

# Values. A switch names no program, and no file but one of the project that is called so: for programs that run what the
# project says, and for those whose variables are listed, any variable may have one that is not listed as dangerous.
SWITCH = r"(?i:[0-9]*|[0-9]+(?:\.[0-9]+)*|true|false|yes|no|on|off)"
_NUMBER = r"[0-9]*"
_WORD = r"(?!.*\.\.)[A-Za-z0-9_.,:+@%*-]*"  # no path, no blank, no expansion
_PLAIN_PATH = r"(?!.*\.\.)[A-Za-z0-9_.+@%:/-]*"
_ANY = r"(?s:.*)"
_UTF8_OR_ASCII = r"(?i:utf-?8|ascii|latin-?1)(?::[a-z]+)?"
_COMPILER = r"(?:x86_64-linux-gnu-|aarch64-linux-gnu-)?(?:gcc|cc|clang|tcc)(?:-[0-9]+)?"
_COMPILER_FLAG = r"-(?:O[0-3sgz]?|Ofast|g[0-3]?|W(?!l,|a,|p,)[a-z0-9=+-]+|std=[a-z0-9+]+|D[A-Za-z_][A-Za-z0-9_]*(?:=[A-Za-z0-9_.]*)?|fPIC|fno-omit-frame-pointer|fsanitize=[a-z,]+|march=[a-z0-9-]+|m(?:64|32|avx2?)|pthread|coverage|pedantic|Iinclude|I\.)"
_NODE_FLAG = r"--(?:max[-_]old[-_]space[-_]size=[0-9]+|max[-_]semi[-_]space[-_]size=[0-9]+|no[-_]warnings|no[-_]deprecation|trace[-_]warnings|trace[-_]deprecation|trace[-_]uncaught|experimental[-_]vm[-_]modules|openssl[-_]legacy[-_]provider|stack[-_]trace[-_]limit=[0-9]+|enable[-_]source[-_]maps|unhandled[-_]rejections=[a-z-]+|dns[-_]result[-_]order=[a-z0-9]+|preserve[-_]symlinks)"
_RUST_FLAG = r"-(?:D|W|A|F) ?[a-z_:-]+|-C ?(?:target-cpu=native|opt-level=[0-3sz]|debuginfo=[0-2]|instrument-coverage|overflow-checks=\w+|debug-assertions=\w+|codegen-units=[0-9]+|lto=\w+|panic=\w+|strip=\w+)"
_GO_FLAG = (
    r"-(?:mod=(?:mod|vendor|readonly)|v|x|race|trimpath|buildvcs=\w+|count=[0-9]+|p=[0-9]+|tags=[\w,]+|short)"
)
_SANITIZER_OPTION = r"[a-z_]+=[0-9]+"

# What a project calls its own settings: a text, a mode, a service of this machine.
_TEXT = r"(?!-)[A-Za-z0-9_.+=-]*"
_MODE = r"(?i:test|testing|dev|development|stage|staging|prod|production|local|ci|debug|release|unit|integration|e2e|smoke|benchmark)?"
_HERE = r"(?:localhost|127\.0\.0\.1|\[?::1\]?)"
_SERVICE_HERE = rf"(?:[a-z][a-z0-9+]*://(?:[\w.%-]+(?::[\w.%-]*)?@)?{_HERE}(?::[0-9]+)?(?:/(?!.*\.\.)[\w./%-]*)?|sqlite:///(?!.*\.\.)[\w./-]*)?"

# A name by its end is a project's own setting only to programs that run what the project says, by the kind of program
# that a table says it is (those without any are the project's own), and to those whose variables are all listed below
# or above by the beginnings of their names.
RUNS_PROJECTS = names("build ecosystems javascript python python_packages interpreters containers toolchains")
READS_LISTED = names("archives data files forges git text")
ALSO_READS_LISTED = names(
    "curl wget ssh scp sftp rsync ping dig nslookup host nc exec command builtin noglob chronic ionice taskset flock watch sudo"
)
# Those whose variables are listed as far as a switch would matter to them.
SWITCHES_ARE_LISTED = names(
    "apropos apt apt-cache apt-file apt-get apt-mark arch aws cal clear crontab date dmesg dpkg dpkg-query findmnt free fuser "
    "gcloud gdate getconf getent gpg gpg2 groups hostname hostnamectl htop id ifconfig journalctl kill killall last locale "
    "loginctl logname lsblk lscpu lsmem lsof lspci lsusb man mount ncal netstat networkctl pgrep pidof pkill printenv ps "
    "pstree pwd reset ss ssh-add ssh-keygen ssh-keyscan sysctl systemctl systemd-analyze timedatectl top tput tty umount "
    "uname uptime users vmstat w whatis whereis which who whoami traceroute tracepath tcpdump whois "
    "addr2line ar as c++ c++filt cc clang clang++ clang-format clang-tidy g++ gas gcc gcc-ar gcov gfortran ld nm objcopy "
    "objdump protoc ranlib readelf rustc rustfmt size strip "
    "caffeinate chrt eatmydata env fakeroot genv gnice gnohup gstdbuf gtime gtimeout gxargs ltrace nice nohup numactl prlimit "
    "setpriv setsid stdbuf strace time timeout tini unshare valgrind xargs bg fg dirs disown history logout "
    "vi view vim vimdiff rview rvim ex ed red"
)
# Programs of these kinds that run nothing of a project's, or look at variables that nobody has listed.
NEVER_BY_END = names(
    "glab emacs emacsclient ex ed red vi view vim vimdiff rview rvim gvim nvim gdb lldb expect osascript cmd powershell pwsh"
)
# Where a name begins like one of these, or like a program with a table, it is that program's and not the project's.
TOOLS = names(
    "playwright cypress xdebug puppeteer selenium se storybook allure hf huggingface torch rclone restic borg vault consul "
    "nomad packer pulumi spring llvm gtest gcov gmon xh httpie nix sentry-cli ray hydra dvc"
)
# Programs with names that are common words, and with variables of no such name.
COMMON_WORDS = names(
    "host http https task view size tap red watch mongo next stack file mail service install"
)
# What only says who somebody is: no program takes it for a file, a mode or a place.
CREDENTIAL = r".*_(?:KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASS|USER|USERNAME)"

# Rows: names, values (a regular expression that all of the value matches), programs (none: all of them). In a name a
# star stands for any rest, or any beginning: a name that is listed as dangerous is never meant by its end. A value that is only known when the command runs matches nothing but _ANY.
HARMLESS: tuple[tuple[str, str, str], ...] = (
    # Terminals, colours, time, language.
    (
        "NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM COLORFGBG TERM TERM_PROGRAM TERM_PROGRAM_VERSION PY_COLORS MYPY_FORCE_COLOR CARGO_TERM_COLOR NPM_CONFIG_COLOR npm_config_color LS_COLORS GREP_COLORS GREP_COLOR GCC_COLORS TIME_STYLE QUOTING_STYLE BLOCK_SIZE BLOCKSIZE DF_BLOCK_SIZE DU_BLOCK_SIZE",
        r"[A-Za-z0-9_.,:;=+*-]*",
        "",
    ),
    ("COLUMNS LINES", _NUMBER, ""),
    # A module of the project.
    (
        "DJANGO_SETTINGS_MODULE",
        r"(?!antigravity\.|idlelib\.|turtledemo\.|test\.autotest\Z|.*\.__)[a-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)+",
        "python python3 pytest django-admin celery gunicorn uvicorn coverage mypy",
    ),
    # Directories of the project beside those that its code is looked for in anyway (see `variable_check`).
    (
        "PYTHONPATH",
        r"(?!.*\.\.)(?:\.|(?:\./)?[A-Za-z0-9_][\w./-]*)(?::(?:\.|(?:\./)?[A-Za-z0-9_][\w./-]*))*",
        "python python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pytest py.test",
    ),
    # Where a project's own programs find their services.
    (
        "DATABASE_URL TEST_DATABASE_URL REDIS_URL MONGO_URL MONGODB_URI AMQP_URL RABBITMQ_URL API_URL BASE_URL APP_URL SITE_URL",
        r"[a-z][a-z0-9+]*://(?!.*\.\.)[A-Za-z0-9_.:@/%?=&,+-]*|",
        "",
    ),
    # What a build puts into the pages of a project, as texts.
    (
        "VITE_* NEXT_PUBLIC_* REACT_APP_* NUXT_PUBLIC_* VUE_APP_* EXPO_PUBLIC_*",
        r"(?!.*\.\.)[A-Za-z0-9_.,:+@%*/?=&-]*",
        "",
    ),
    # Settings of the project's own programs, by the end of their names: see RUNS_PROJECTS.
    ("*_KEY *_SECRET *_TOKEN *_PASSWORD *_PASSWD *_PASS *_USER *_USERNAME SECRET_KEY PASSWORD", _TEXT, ""),
    (
        "*_NAME *_REGION *_BUCKET *_DB *_DATABASE *_CONNECTION *_LEVEL *_QUEUE *_TOPIC",
        r"(?!-)(?!.*\.\.)[A-Za-z0-9_.+-]*|:memory:",
        "",
    ),
    ("*_ENV *_ENVIRONMENT *_MODE *_STAGE", _MODE, ""),
    ("*_HOST *_HOSTNAME", rf"(?:{_HERE}|0\.0\.0\.0)?", ""),
    ("*_URL *_URI *_ENDPOINT *_DSN", _SERVICE_HERE, ""),
    ("TZ", r"(?!.*\.\.)[A-Za-z][A-Za-z0-9_+,./:-]*|", ""),
    ("TMPDIR TMP TEMP TEMPDIR", r"(?!.*\.\.)/(?:var/)?tmp(?:/[A-Za-z0-9_.+-]*)*", ""),
    ("SOURCE_DATE_EPOCH", _NUMBER, ""),
    # Names that a project's own programs and tests go by.
    (
        "CI CONTINUOUS_INTEGRATION GITHUB_ACTIONS GITLAB_CI BUILD_NUMBER NODE_ENV BABEL_ENV RAILS_ENV RACK_ENV APP_ENV FLASK_ENV FLASK_DEBUG MIX_ENV DJANGO_ENV ASPNETCORE_ENVIRONMENT DOTNET_ENVIRONMENT ENVIRONMENT STAGE DEBUG VERBOSE QUIET V LOG_LEVEL LOGLEVEL LOG_FORMAT VERSION RELEASE TAG BUILD_TYPE PORT HOST TIMEOUT SEED COVERAGE HEADLESS DRY_RUN SKIP HUSKY LEFTHOOK TOXENV TOX_ENV NUM_WORKERS JOBS THREADS BATCH_SIZE OMP_NUM_THREADS MKL_NUM_THREADS OPENBLAS_NUM_THREADS NUMEXPR_NUM_THREADS TOKENIZERS_PARALLELISM CUDA_VISIBLE_DEVICES TF_CPP_MIN_LOG_LEVEL TRANSFORMERS_OFFLINE HF_HUB_OFFLINE",
        _WORD,
        "",
    ),
    # What a program is told about itself, the one it is.
    (
        "RUST_BACKTRACE RUST_LIB_BACKTRACE RUST_LOG DENO_LOG BUN_DEBUG_QUIET_LOGS RUST_TEST_THREADS RUST_MIN_STACK CARGO_INCREMENTAL CARGO_TERM_PROGRESS_WHEN CARGO_TERM_PROGRESS_WIDTH CARGO_TERM_VERBOSE CARGO_NET_OFFLINE CARGO_BUILD_JOBS",
        r"[A-Za-z0-9_.,:=+*-]*",
        "",
    ),
    ("RUSTFLAGS RUSTDOCFLAGS", rf"(?:(?:{_RUST_FLAG})(?: +|\Z))*", ""),
    (
        "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8 PYTHONFAULTHANDLER PYTHONDEVMODE PYTHONOPTIMIZE PYTHONNODEBUGRANGES PYTHONTRACEMALLOC PYTHONASYNCIODEBUG PYTHONNOUSERSITE PYTHONMALLOC",
        r"[A-Za-z0-9_]*",
        "",
    ),
    ("PYTHONIOENCODING", _UTF8_OR_ASCII, ""),
    # Any other category is imported.
    (
        "PYTHONWARNINGS",
        r"(?:(?:default|error|always|module|once|ignore)(?:::(?:Deprecation|PendingDeprecation|User|Resource|Future|Import|Runtime|Syntax|Unicode|Bytes)?Warning)?,?)*",
        "",
    ),
    (
        "PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_CACHE_DIR PIP_NO_INPUT PIP_PROGRESS_BAR PIP_QUIET PIP_ROOT_USER_ACTION PIPENV_VERBOSITY PIPENV_VENV_IN_PROJECT PIPENV_IGNORE_VIRTUALENVS UV_NO_PROGRESS UV_OFFLINE UV_LINK_MODE UV_SYSTEM_PYTHON UV_FROZEN UV_LOCKED RUFF_NO_CACHE RUFF_OUTPUT_FORMAT SETUPTOOLS_SCM_PRETEND_VERSION* SETUPTOOLS_USE_DISTUTILS POETRY_NO_INTERACTION PYTEST_TIMEOUT HYPOTHESIS_PROFILE",
        _WORD,
        "",
    ),
    ("NODE_OPTIONS", rf"(?:(?:{_NODE_FLAG})(?: +|\Z))*", ""),
    (
        "NODE_NO_WARNINGS NODE_DISABLE_COLORS npm_config_yes npm_config_loglevel NPM_CONFIG_LOGLEVEL npm_config_fund NPM_CONFIG_FUND npm_config_audit NPM_CONFIG_AUDIT npm_config_progress NPM_CONFIG_PROGRESS npm_config_update_notifier NPM_CONFIG_UPDATE_NOTIFIER YARN_ENABLE_IMMUTABLE_INSTALLS YARN_ENABLE_TELEMETRY YARN_ENABLE_PROGRESS_BARS NEXT_TELEMETRY_DISABLED ASTRO_TELEMETRY_DISABLED DO_NOT_TRACK COREPACK_ENABLE_DOWNLOAD_PROMPT PUPPETEER_SKIP_DOWNLOAD PUPPETEER_SKIP_CHROMIUM_DOWNLOAD PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD JEST_WORKER_ID ADBLOCK DISABLE_OPENCOLLECTIVE TS_NODE_TRANSPILE_ONLY",
        _WORD,
        "",
    ),
    (
        "GOOS GOARCH GOARM GOARM64 GOAMD64 GO386 GOWASM GOMIPS GOMIPS64 GOPPC64 GORISCV64 GOMAXPROCS GOGC GOTRACEBACK GOMEMLIMIT GOEXPERIMENT CGO_ENABLED GO111MODULE",
        _WORD,
        "",
    ),
    ("GOTOOLCHAIN", "local", ""),
    ("FLASK_APP", r"(?!.*\.\.)[A-Za-z_][\w./]*(?::\w+(?:\(\))?)?", ""),
    ("PLAYWRIGHT_HTML_OPEN", "never|always|on-failure", ""),
    # To servers that open a page when they start: none at all. No program is called that.
    ("BROWSER", "none", "npm npx yarn yarnpkg pnpm node"),
    ("GOFLAGS", rf"(?:{_GO_FLAG} *)*", ""),
    (
        "ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS MSAN_OPTIONS LSAN_OPTIONS",
        rf"(?:{_SANITIZER_OPTION}(?::{_SANITIZER_OPTION})*)?",
        "",
    ),
    (
        "CTEST_OUTPUT_ON_FAILURE CTEST_PARALLEL_LEVEL CTEST_PROGRESS_OUTPUT CMAKE_BUILD_PARALLEL_LEVEL CMAKE_COLOR_DIAGNOSTICS CMAKE_BUILD_TYPE CMAKE_EXPORT_COMPILE_COMMANDS VERBOSE",
        _WORD,
        "",
    ),
    # Compilers of the system: what make, cmake and configure start anyway.
    ("CC", _COMPILER, "make gmake cmake ctest ninja meson"),
    ("CXX", r"(?:g\+\+|c\+\+|clang\+\+)(?:-[0-9]+)?", "make gmake cmake ctest ninja meson"),
    ("CFLAGS CXXFLAGS CPPFLAGS", rf"(?:{_COMPILER_FLAG}(?: +|\Z))*", "make gmake cmake ctest ninja meson"),
    (
        "MAKEFLAGS",
        r"(?:(?:-?[jks][0-9]*|-j [0-9]+|--no-print-directory)(?: +|\Z))*",
        "make gmake cmake ctest cargo npm pip",
    ),
    # Where make installs; npm would read its configuration there.
    ("PREFIX DESTDIR", _PLAIN_PATH, "make gmake ninja meson"),
    # Git, without the editor, the pager and the question.
    ("GIT_EDITOR GIT_SEQUENCE_EDITOR", "true|:", "git"),
    ("GIT_PAGER PAGER MANPAGER GH_PAGER AWS_PAGER BAT_PAGER DELTA_PAGER SYSTEMD_PAGER", "cat|", ""),
    (
        "GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_LFS_SKIP_SMUDGE GIT_ADVICE GIT_LITERAL_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS GIT_FLUSH GIT_NO_REPLACE_OBJECTS GIT_NO_LAZY_FETCH",
        r"[01]|true|false|yes|no",
        "",
    ),
    # Switched on, it starts an editor.
    ("GIT_MERGE_AUTOEDIT", "0|false|no", ""),
    # A path would be a file that is written.
    (
        "GIT_TRACE GIT_TRACE_PERFORMANCE GIT_TRACE_SETUP GIT_TRACE_PACKET GIT_CURL_VERBOSE",
        r"[012]|true|false",
        "",
    ),
    (
        "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE",
        _ANY,
        "git",
    ),
    # Which account, project, region, cluster or database; passwords and tokens.
    (
        "GH_TOKEN GITHUB_TOKEN GH_ENTERPRISE_TOKEN GITLAB_TOKEN NPM_TOKEN PGPASSWORD MYSQL_PWD REDISCLI_AUTH AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN",
        _ANY,
        "gh glab psql pg_dump pg_restore pg_isready createdb dropdb mysql mysqldump mariadb redis-cli aws",
    ),
    (
        "GH_TOKEN GITHUB_TOKEN GH_ENTERPRISE_TOKEN GITLAB_TOKEN NPM_TOKEN PGPASSWORD MYSQL_PWD REDISCLI_AUTH AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN",
        r"(?!-)[A-Za-z0-9_.+=/-]*",
        "",
    ),
    (
        "GH_DEBUG GH_PROMPT_DISABLED GH_NO_UPDATE_NOTIFIER AWS_PROFILE AWS_DEFAULT_OUTPUT PGUSER PGPORT PGDATABASE PGCONNECT_TIMEOUT GOOGLE_CLOUD_PROJECT GCP_PROJECT GCLOUD_PROJECT CLOUDSDK_CORE_PROJECT CLOUDSDK_CORE_DISABLE_PROMPTS CLOUDSDK_COMPUTE_ZONE CLOUDSDK_COMPUTE_REGION TF_LOG TF_IN_AUTOMATION TF_INPUT TF_WORKSPACE HOMEBREW_NO_*",
        r"(?!.*\.\.)[A-Za-z0-9_.,:+@%*/-]*",
        "",
    ),
    # Another host gets what is sent, and the token.
    ("GH_HOST", r"(?:github\.com)?", ""),
    ("GH_REPO", r"(?:(?:github\.com/)?[\w.-]+/[\w.-]+)?", ""),
    ("AWS_REGION AWS_DEFAULT_REGION", r"[A-Za-z0-9-]*", ""),
    ("PGHOST", r"[A-Za-z0-9_.:-]*|/var/run/postgresql|/tmp", ""),
    ("TF_VAR_*", r"[A-Za-z0-9_.,:+@/ -]*", "terraform tofu"),
    (
        "DOCKER_BUILDKIT BUILDKIT_PROGRESS COMPOSE_PROJECT_NAME COMPOSE_PROFILES COMPOSE_ANSI COMPOSE_PROGRESS COMPOSE_PARALLEL_LIMIT COMPOSE_DOCKER_CLI_BUILD DOCKER_CLI_HINTS DOCKER_DEFAULT_PLATFORM DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO",
        r"(?!.*\.\.)[A-Za-z0-9_.,:+/-]*",
        "",
    ),
    ("DEBIAN_FRONTEND", r"noninteractive|readline|teletype", ""),
    ("APT_LISTCHANGES_FRONTEND", "none", ""),
)
# Programs whose manuals name every variable that they look at: for them all others are texts.
SEES_NO_OTHERS = names(
    ": true false echo printf test [ pwd ls cat tac head tail wc cut tr uniq nl paste comm join fold fmt expand rev seq "
    "date sleep uname whoami id hostname nproc dirname basename realpath readlink stat du df od md5sum sha1sum sha256sum "
    "sha512sum cksum grep egrep fgrep printenv touch mkdir rmdir rm env find xargs nice nohup timeout stdbuf setsid time"
)
# What these, and the C library in them, look at.
SEEN_BY_ALL = r"TZDIR|TZ|TMPDIR|LC_.*|LANG.*|COLUMNS|LINES|TERM|.*_COLORS?|.*BLOCK_?SIZE|.*_STYLE|_.*|OUTPUT_CHARSET|TEXTDOMAIN.*|TIME|GREP_.*|PWD|OLDPWD|USER|LOGNAME"

# Arrays that give names another meaning: hashed programs, aliases, functions.
GIVES_MEANING = names(
    "BASH_CMDS BASH_ALIASES functions dis_functions aliases dis_aliases galiases dis_galiases saliases "
    "dis_saliases commands builtins dis_builtins options nameddirs"
)
# Numbers of the shell's own: it evaluates what they are given as arithmetic, and a value such as `a[$(cmd)]` runs a
# command. The first are bash's; other shells have these, too.
EVALUATED_BY_BASH = names(
    "OPTIND RANDOM SRANDOM SECONDS LINENO HISTCMD BASHPID PPID UID EUID PIPESTATUS EPOCHSECONDS EPOCHREALTIME BASH_MONOSECONDS MAILCHECK"
)
EVALUATED_ELSEWHERE = names(
    "COLUMNS LINES TMOUT PGRP KSHEGID KSHGID KSHUID USER_ID GID EGID FUNCNEST HISTSIZE SAVEHIST SHLVL ERRNO "
    "KEYTIMEOUT LISTMAX TTYIDLE ARGC TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT ZSH_SUBSHELL JOBMAX DIRSTACKSIZE LOGCHECK BAUD "
    "REPORTTIME REPORTMEMORY MBEGIN MEND ZLE_RPROMPT_INDENT"
)
# Arrays that zsh ties to variables of the same name in capitals.
ZSH_TIED = names(
    "path fpath cdpath manpath module_path mailpath psvar prompt PROMPT PROMPT2 PROMPT3 PROMPT4 RPROMPT RPROMPT2 RPS1 "
    "RPS2 SPROMPT MODULE_PATH ARGV0 STTY fignore watch WATCH WATCHFMT PSVAR dirstack mapfile"
)
