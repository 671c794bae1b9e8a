"""How a program is described: the options that are known to be harmless, and what the others do.

Above: the tables are made of these records, `options` reads arguments by them. Below: nothing.

A table is **positive**: an option or sub-command that no field names is refused. Options are written as a
person types them, separated by blanks, and their ending says how the program takes a value:

    -x      none                                    -x=     one: the rest of the word, or the next word
    -x?     one, but only attached (--color=auto)   -x==    two: the next two words (jq --arg a b)

Nothing is ever shortened: `--extra` is not `--extract` here, though tar takes it for that. What is not
spelled in full is refused with the full name in the hint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# A package by an address: `x @ https://h/x.whl`, `git+ssh://h/x`, `git@h:x`, `github:x/y`. But `x@npm:y` is
# another package of the registry.
ADDRESS = r"(?s:.*)(?:://|\b(?:git|hg|svn|bzr)\+|\b(?:https?|ssh|git|github|gitlab|bitbucket|gist):|@(?!(?:npm|jsr|workspace|catalog|patch):)[\w.-]+:)"
# A path that leads out of the working directory: configuration that is code is looked for beside a file. On
# Windows a backslash is a slash, too, but at the beginning it can be a regular expression's.
OUTSIDE = r"[/~]|\\\\|[A-Za-z]:[\\/]|(?:(?s:.*)[/\\])?\.\.(?:[/\\]|\Z)"

# A package that does not come from the usual place or from below the working directory: a directory of this
# machine, or an address.
ELSEWHERE = rf"\\|{OUTSIDE}|(?s:.*)\b(?:file|link|portal):|{ADDRESS}"
# Older versions of venv put it between double quotes into `activate`, which is a text for the shell.
ENVIRONMENT_PROMPT = ("--prompt=", r"[\w .+-]+")

# An alternative in braces that leads nowhere, whatever stands around them: no `..`, no `/` at its beginning.
_ALTERNATIVE = r"\.?[\w*@](?:(?!\.\.)[\w.*@/-])*(?<=[\w*@])"
_BRACES = rf"(?:{_ALTERNATIVE}(?:,{_ALTERNATIVE})*|(?:(?!\.\.)[^,{{}}])*)\}}"
# The same where a program itself expands patterns: `{/tmp,x}/*.js`, `{.,x}./*.js`, `[.]./*.js`, `\/tmp/*.js`.
EXPANDED_OUTSIDE = (
    rf"(?s:(?=.*\}}).*\{{(?!{_BRACES})|.*[(|]\s*(?:[/~]|\.\.)|(?:.*/)?(?=[^/]*[\[\\])[.\[\]\\]+(?:/|\Z))"
)
# Such operands, and options: some parsers take them for options behind `--`, too.
OUTSIDE_BY_PATTERN = rf"-(?!\Z)|{OUTSIDE}|{EXPANDED_OUTSIDE}|.*\\"

# What pytest selects tests by, which older versions evaluate as an expression of Python: names are values
# there, so that only a method can be called.
SELECTION = r"[^.]*|[^(]*"

# What is handed on to pytest, mostly: tests, settings and plugins from elsewhere, also behind the name of a
# setting (`-o pythonpath=/tmp/x`), files of further options, and what empties a directory or writes a file.
FOR_TESTS = (
    r"-p(?!no:)|@|--(?:basetemp|pdbcls|pastebin|log-file|report-log|output-file)\b"
    r"|--junit-?xml(?!=\w[\w./-]*\.xml\Z)"
    rf"|(?:--?[\w-]+=?)?(?:{OUTSIDE})|(?s:.*)(?:[=,;\s]|:(?!//))(?:{OUTSIDE})|(?!(?:{SELECTION})\Z)"
)

# Programs of Java itself, which take code, and write: jshell, javac, jar. And languages of others.
JAVA_TOOLS = (
    r"(?:javax?|jdk|sun|com[./]sun)[./]|clojure[./]main\b|groovy[./]|"
    r"org[./](?:codehaus[./]groovy|jruby|python|mozilla[./]javascript|jetbrains[./]kotlin)[./]|scala[./]tools[./]|bsh[./]"
)

# A commit or a branch, which git is told: no option.
REVISION = r"[\w@][\w./@~^{}-]*"

# getopt: clusters -xvf, -n5, --name=value.  words: -name, -name=value (go, terraform, openssl).
# joined: like words, and a value may be glued to the name without `=` (gcc -Iinclude).
Style = Literal["getopt", "words", "joined"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Options:
    """The options of a program or sub-command, by what they do."""

    # Harmless: they change what is printed, or how the program does what it is for. Values are texts.
    options: str = ""
    # A regular expression for harmless options that are too many to list; none takes the next word.
    pattern: str = ""
    # The pattern is for what stands behind the first operand: options of a script that is named there.
    pattern_later: bool = False
    # The value is a file or directory that is read.
    reads: str = ""
    # The value is a file or directory that is written; without a value: files are written.
    writes: str = ""
    # The same where writing is what the program is for (cp -t): its rule is the permission.
    changes: str = ""
    # The value is a directory that gets files whose names are not in the command.
    fills: str = ""
    # They run a program, load code, follow instructions from elsewhere or reach another machine.
    runs: str = ""
    # The value is a file or directory whose instructions are followed: only a plain relative one passes.
    places: str = ""
    # Pairs (options, regular expression): harmless, or what another field says of them, if all of the value
    # matches, else like `runs`.
    checks: tuple[tuple[str, str], ...] = ()
    # The value becomes the working directory.
    enters: str = ""
    # They follow links out of the directories that are named: refused while directories are fenced.
    follows: str = ""
    # `-5` is an option.
    numbers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Program(Options):
    """What the policy knows about one program, or one sub-command."""

    names: str
    # Said when something of it is refused: what it could do.
    reason: str = ""
    style: Style = "getopt"
    # What operands are, one by one; the last word holds for all that follow.
    #   text      no file: printed, searched for, sent
    #   read      a file or directory that is read
    #   write     a file that is written, which needs permission (uniq a b)
    #   change    a file or directory that is changed, made or removed: what the program is for (rm, mkdir)
    #   touch     the same, but it gets no content from elsewhere
    #   equip     a directory that becomes an environment of Python
    #   maybe     a text that may be a file (a revision, a target, a package)
    #   alter     the same, and such a file is changed (git checkout)
    #   near      a file of instructions: a plain relative one
    #   own       a text that may be a file whose instructions are followed: no link that leads elsewhere
    #   edit      the same, and such a file is changed (black, whose settings lie beside it)
    #   fill      a directory that gets files whose names are not in the command (unrar x a.rar dir)
    #   copy      read, but the last operand is changed (cp)
    #   squeeze   changed, and so is the file without the last part of its name (gunzip a.gz makes a)
    #   prefix    the beginning of the names of files that are made (split)
    operands: str = "maybe"
    # With one of these options there is no first text (grep -e): the second role is the first operand's.
    texts: str = ""
    # A regular expression for operands that are refused, and for values of options that are no plain texts.
    refuses: str = ""
    # What follows one of these options and its value is for the program that it names (java -jar x).
    last: str = ""
    # What follows `--` is for another program (cmake --build x -- -j4): each word must match this.
    after: str = ""
    # Operands, and what follows `--`, are for a script of the project whose options nobody knows: they name
    # no code or configuration from elsewhere, and no command.
    for_scripts: bool = False
    # Options end at the first operand.
    stops: bool = False
    # A value in a word of its own never begins with a dash: the program may take it for an option.
    plain_values: bool = False
    # But the values of these options do by their nature: go build -ldflags '-s -w'.
    dashed_values: str = ""
    # These surely take the next word, so that one that is only known when it runs may begin with a dash, too.
    taken_values: str = ""
    # Options of the program itself are known after a sub-command, too.
    persistent: bool = False
    # What follows the first operand belongs to another program (npx eslint ...), whose table is asked.
    passes: bool = False
    # That program is a package: `npx bash` is none, though npx may find the system's and run it.
    packages: bool = False
    # Packages of a scope are among them (`npx @biomejs/biome`): no path, though there is a slash.
    scopes: bool = False
    # That program is one that the tables know as a tool of JavaScript: `nyc mocha`, not `nyc bash`.
    tools: bool = False
    # Options whose value is a module of Python; what follows it is for the module (coverage run -m pytest).
    runs_module: str = ""
    # The value of an option is always a word of its own: `-Lo 1 x` is `-L 1 -o x`.
    apart: bool = False
    # Letters stand alone: to the parsers of JavaScript `-ni x` is `-n -i x`, and no value of -n.
    single_letters: bool = False
    # `--` ends the options.
    dashes: bool = True
    # So does `--end-of-options`: git's own, which others do not know and may pass over.
    end_of_options: bool = False
    # No option of it does harm, listed or not: an unproven word may be one.
    harmless: bool = False
    # An unproven word is a name (docker rm $(docker ps -q)): what it could be as an option does no harm.
    takes_names: bool = False
    # The same with one of these options: others that would do something else are refused beside it, and none
    # takes it back (git branch -D).
    names_with: str = ""
    # Where a file is expected, an address can stand that loads code.
    addresses: bool = False
    # A word that begins with `@`, the value of an option too, is a file of further options.
    response_files: bool = False
    # More operands than this are files of code, or commands; 0: as many as there are.
    max_operands: int = 0
    # It puts files whose names are not in the command into the working directory, unless an option of `fills`
    # says where, or one of `looks` that nothing is to be put anywhere.
    unpacks: bool = False
    looks: str = ""
    # Links can be among these files, and lead the next ones elsewhere.
    brings_links: bool = False
    # Without one of these options it writes a file of its own naming, or of what it is asked for.
    only_with: str = ""
    # Without an option of each of these lists it asks for what is missing, and may start an editor; where
    # there are sub-commands, without any of them.
    asks: tuple[str, ...] = ()
    # One of these, and what operands must look like for it, or the value of -x: gcc -fsyntax-only x.c.
    shows_only: tuple[str, str] = ("", "")
    # Options with which it writes none either, as long as nothing else is given (gcc -v).
    alone: str = ""
    # With one of these options the file without the last part of its name is made (gzip -d), if none is named
    # always; not with one of `looks`.
    restores: str = ""
    # Options whose value is a part of the names of files that are made: gzip -S .toml nacre, csplit -f nacre.
    names_files: str = ""
    # Options with which all that an operand holds is removed first: only what is called like an environment.
    empties: str = ""
    # Options of `writes` whose value is a directory that gets files whose names are not in the command, or is
    # emptied before: vite --outDir.
    gathers: str = ""
    # Options whose value is the end of the names of copies that are kept: cp -S .bak.
    suffixes: str = ""
    # Options with which a copy is another name of the same file (cp -l): what is copied counts as changed.
    links: str = ""
    # Options with which it makes symbolic links, the last operand to the others (ln -s).
    symlinks: str = ""
    # Options with which it reads all that is below an operand and follows links (`*`: always), unless one of
    # the second list is given.
    trees: str = ""
    keeps_links: str = ""
    # Where one operand is all there is, it reads all that is below the working directory: 7z a x.7z.
    packs_all: bool = False
    # It looks for the files that a pattern among its operands matches, in quotes too.
    expands: bool = False
    # An option of `runs`, and one with which it does no harm: (`-html -o`) of `go tool cover`.
    tamed: str = ""
    # Sub-commands with their own options; sub-commands that a rule must spell: they run what they are told.
    commands: tuple[Program, ...] = ()
    spelled: str = ""
    # What any other word in the place of a sub-command is: a script of the project (`yarn build`).
    other: Program | None = None
    # A regular expression for the names of scripts that stand in the place of a sub-command: as behind `run`.
    scripts: str = ""
    # Sub-commands for which a rule must spell this one (`docker compose up` is more than `docker`).
    named: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wrapper(Options):
    """A program whose arguments are another command."""

    names: str
    reason: str
    # How many operands stand before the command, and whether assignments do (env A=1 cmd).
    operands: int = 0
    # What such an operand must look like: where it may be left out, another word would be the command.
    operand: str = ""
    # It is a file, which is made if there is none.
    makes_file: bool = False
    assignments: bool = False
    # This word of the command is replaced by the name of a file that its input names (entr cat /_).
    replaces: str = ""
    # Without a command it starts a shell, which reads its input.
    starts_shell: bool = False
    # Without a rule of its own: it adds nothing but the way in which the command is started.
    transparent: bool = True
    # The command is a text for a shell, all words joined (watch), unless one of these options is given.
    joined: bool = False
    unless: str = ""
    # Options whose value is a text for a shell (flock -c).
    shell_text: str = ""
    # `--` ends the options; to faketime it is the time, and the next word the command.
    dashes: bool = True
    style: Style = "getopt"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Interpreter(Options):
    """A program that runs code given in an option, in a file or on its input."""

    names: str
    reason: str
    # Options whose value (or presence) is code, or that load code; a word without a dash is a sub-command.
    inline: str
    # The option that names a module, and the modules that are known: with a table of their own, or harmless.
    module: str = ""
    modules: str = ""
    # Options with which nothing runs.
    quits: str = "--version -V --help -h -v"
    # Options with which it looks for files of the project by itself, and does not read its input.
    finds: str = ""
    # Options are read after the first operand too (editors, debuggers), and `+text` is a command.
    permutes: bool = False
    # Code is fetched by its address, too.
    fetches: bool = False
    # What a file of code is called; another operand is code (powershell 'ls'), or switches (cmd /cdel).
    files: str = ""
    # `--` ends the options; to php the program is then read from the input.
    dashes: bool = True
    # Behind `run` stands a script of the project, or any program of the system: what is surely a script.
    scripts: str = ""
    # Sub-commands behind which stand packages.
    installs: str = ""
    # A short text of code can be read: "python", "javascript", or one of `one_liners`.
    language: str = ""
    style: Style = "getopt"
    # Sub-commands that run a script or a file of the project: what follows its name is for it.
    hands_on: str = ""
    # Opens files rather than running them (editors): operands are read and written.
    edits: bool = False
