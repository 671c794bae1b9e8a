"""A hint that is followed must lead to an allow.

Hints are of three kinds. One proposes a rule: the rule is added, and the refusal must be gone. One proposes
another way to write the command: `_REWRITTEN` holds a command that gets the hint and the same after it was
followed. The rest say plainly that a person must decide, or what is allowed here.
"""

from __future__ import annotations

import ast
import fnmatch
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from corpus_mutator import CORPORA

import nacre.policy
from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, Verdict, judge
from nacre.policy.corpus import case_policy

pytestmark = pytest.mark.req("policy-hints")

_RULE = re.compile(r"rule that spells it would allow it: `(.+)`\Z", re.DOTALL)
_MOST_STEPS = 8
_BEHIND_DASHES = (
    "write `--` at the end, behind the command's own options; where files are changed, "
    "`grep -rlZ x src | xargs -0 command`, or `find src -print0 | xargs -0 command`"
)
_NAMES = [
    "uname",
    "node",
    "ls",
    "echo",
    "cat",
    "find",
    "sort",
    "git log",
    "git rev-parse",
    "kubectl apply",
    "make",
    "git commit",
    "sqlite3",
    "vim",
    "git rebase",
    "test",
    "[",
    "read",
    "printf",
    "unset",
    "trap",
    *("pushd", "declare", "readonly", "shift", "wait", "set", "export", "print", "ulimit", "umask"),
    "c1 *",
    *("gcc", "npx", "psql", "mysql", "ssh", "redis-cli", "tar", "string", "curl", "fd"),
]
_PLAIN = Policy.from_lists(
    [
        *_NAMES,
        "awk",
        "pandoc",
        "sed",
        "zip",
        "unzip",
        "diff",
        "dir",
        "Get-ChildItem",
        "Get-Content",
        "Get-Item",
        *("Measure-Command", "copy", "time", "gh"),
    ]
)
# What no rewriting can help with is for a person: these say so, or tell what is allowed.
_FOR_A_PERSON = re.compile(
    r"allowed here: |print the text instead, or ask a person|.*\ba person('s|\b)|stay inside |leave it out\Z"
)
# hint -> shell, a command that gets it, the same after it was followed.
_REWRITTEN: dict[str, tuple[str, str, str]] = {
    "write it as `$(...)`": ("bash", "echo `echo \\`ls\\``", "echo $(echo $(ls))"),
    "leave the transformation out": ("bash", "echo ${x@P}", "echo ${x}"),
    "put it before the substitution, and its result into a variable": (
        *("bash", "echo $(case x in x) ls;; esac)", "case x in x) y=1;; esac; echo $y"),
    ),
    "use a plain word, such as EOF or 'EOF'": ("bash", 'cat <<E"O"F\na\nEOF', "cat <<EOF\na\nEOF"),
    'write the beginning of the address out: "https://$x"': ("bash", 'curl "$x"', 'curl "https://$x"'),
    "leave the assignment out": ("bash", "IFS=/ ls", "ls"),
    "write `find src -print0 | xargs -0 awk ...`": (
        *("bash", "find src | xargs awk 1", "find src -print0 | xargs -0 awk 1"),
    ),
    "write the text in single quotes, then the signals: trap 'ls' EXIT": (
        *("bash", 'trap "$x" EXIT', "trap 'ls' EXIT"),
    ),
    "write -m 'message'": ("bash", "git commit", "git commit -m 'message'"),
    "write GIT_EDITOR=true before the command": (
        *("bash", "git rebase --continue", "GIT_EDITOR=true git rebase --continue"),
    ),
    "write `--title` and `--body`, too": ("bash", "gh pr create", "gh pr create --title x --body y"),
    "write `--notes`, too": ("bash", "gh release create v1 a", "gh release create v1 a --notes x"),
    "name one database": ("bash", "sqlite3 a* 'select 1'", "sqlite3 a.db 'select 1'"),
    "write \\$ for a plain dollar sign": ("bash", "echo $\u2013", "echo \\$\u2013"),
    "write its name out": ("bash", "vim a$x", "vim ./a1"),
    "use EXIT, INT or TERM": ("bash", "trap 'ls' DEBUG", "trap 'ls' TERM"),
    "run the command by itself": ("bash", "coproc ls", "ls"),
    "unset variables only": ("bash", "unset -f ls", "unset x"),
    "give the function a name of its own": ("bash", "echo() { ls; }; echo", "f() { ls; }; f"),
    "use two lists with the same indices: names=(a b); values=(1 2)": (
        *("bash", 'p=([a]=1); for s in "${!p[@]}"; do echo "${p[$s]}"; done'),
        'n=(a); p=(1); for i in "${!n[@]}"; do echo "${n[$i]} ${p[$i]}"; done',
    ),
    "leave out the dollar sign": ("bash", 'echo $"a"', 'echo "a"'),
    "write a plain blank, or put it into quotes": ("bash", "ls\u00a0a", "ls a"),
    'close it; inside, write \\" for one': ("bash", 'ls "a', 'ls "a"'),
    "close it; inside, write '\\'' for one": ("bash", "ls 'a", "ls 'a'"),
    "close it with `)`": ("bash", "ls $(ls", "ls $(ls)"),
    "use `${name}` and the plain operators": ("bash", "ls ${", "ls ${x}"),
    "write `for x in ...; ...; end`": ("fish", "for x; ls; end", "for x in a; ls; end"),
    "use a pattern that is written out, without `(?`": (
        *("fish", "string match -r '(?<x>a)' b", "string match -r 'a' b"),
    ),
    "use -r and -q": ("fish", "string match -r -m1 a b", "string match -r a b"),
    "give the variable another name": ("powershell", "$PSStyle = 1; ls", "$style = 1; ls"),
    "put all of it into one pair of quotes": ("powershell", "echo 'a'b", "echo 'ab'"),
    "name a file, or assign to $env:NAME": ("powershell", "pushd env:", "pushd src"),
    "write plain quotes, dashes and slashes": ("cmd", 'zip -r x "\uff0dT"', "zip -r x src"),
    "put it into quotes, or write blanks in place of the commas": (
        *("powershell", "sed -n 1, 5p f", "sed -n '1,5p' f"),
    ),
    "write ./ before it, or write it out": ("powershell", 'pushd "$x"', 'pushd "./$x"'),
    "write the directory behind the command's name": ("powershell", "'src' | pushd", "pushd src"),
    "name a file of this machine": ("powershell", "Get-Content //host/a", "Get-Content ./a"),
    "leave out these characters: & | < > %": ("powershell", "unzip -l 'a&b'", "unzip -l ab"),
    "put the dashes into quotes: '--'": ("powershell", "git log -- -x", "git log '--' -x"),
    "write $x = and the command": ("powershell", "Get-Item a -OutVariable x", "$x = Get-Item a"),
    "leave out empty arguments, double quotes and a backslash at the end": (
        *("powershell", "git log 'a\"b'", "git log 'ab'"),
    ),
    "leave out quotes inside of quotes, and a backslash or a caret before a quote": (
        *("cmd", 'git log "a\\"" x "', 'git log "a" x'),
    ),
    "leave out single quotes, and an @ at the beginning": ("powershell", "unzip -l '@a'", "unzip -l a"),
    "write a block: { ... }": ("powershell", "Measure-Command $x", "Measure-Command { ls }"),
    "write the property's name, or a block": ("powershell", "ls | sort $x", "ls | sort Name"),
    'put it into double quotes: "$x"': ("powershell", "ls | Get-Item $x", 'ls | Get-Item "$x"'),
    "leave the comment out": ("powershell", "ls | # all\nsort Name", "ls |\nsort Name"),
    "put a blank before the block": ("powershell", "ls | sort{ $_.Name }", "ls | sort { $_.Name }"),
    "add -UseBasicParsing": ("powershell", "curl http://x", "curl http://x -UseBasicParsing"),
    "write it in full: -recurse": ("powershell", "ls -Rec", "ls -Recurse"),
    "use a blank, or double quotes": ("cmd", "dir ; a", 'dir ";" a'),
    "write the name without quotes and carets, and a blank behind it": ("cmd", "d^ir a", "dir a"),
    "write 2>&1 and a blank": ("cmd", "dir 2>&1a", "dir 2>&1 a"),
    "put the name into double quotes": ("cmd", "dir >nul,a", 'dir >"nul" a'),
    'write them into the value of one option, on one line: --format="%h %s"': (
        *("cmd", 'git log --format "%h %s"', 'git log --format="%h %s"'),
    ),
    "use double quotes": ("cmd", "unzip -l 'a'", 'unzip -l "a"'),
    "write /t behind it": ("cmd", "time", "time /t"),
    "give the file another name": ("cmd", "copy a ls.bat", "copy a b.bat"),
    "put each name into double quotes": ("cmd", "dir a,b", 'dir "a" "b"'),
    "write `:` where nothing is to be done": ("bash", "if ls; then fi", "if ls; then :; fi"),
    "write `; do` where it belongs": ("bash", "for x in a", "for x in a; do ls; done"),
    "write its lines below the command, then the delimiter": ("bash", "cat <<EOF", "cat <<EOF\na\nEOF"),
    "end it with a line that holds `EOF` and nothing else": ("bash", "cat <<EOF\na", "cat <<EOF\na\nEOF"),
    "write the parts of the test as plain words, and texts in quotes": (*("bash", "[[ -f x", "[[ -f x ]]"),),
    "write numbers, names of variables that hold numbers, and operators; nothing else": (
        *("bash", "((1", "((1))"),
    ),
    "leave it out, or write it as an escape in $'...'": ("bash", "echo a\x07", "echo $'a\\a'"),
    "close it": ("bash", "ls $'a", "ls $'a'"),
    "run it as several commands": ("bash", "( " * 60 + "ls" + " )" * 60, "(ls)"),
    "put it into double quotes": ("bash", "env -u $(uname) ls", 'env -u "$(uname)" ls'),
    "put a blank before the `&`": ("zsh", "ls 2&>/dev/null", "ls 2 &>/dev/null"),
    "write the parenthesis on a line of its own, or choose another delimiter": (
        *("bash", "(cat <<E\na\nE)\nE\n)", "(cat <<E\na\nE\n)"),
    ),
    "leave out the colon": ("ksh", "ls: a", "ls a"),
    "put the value into double quotes": ("bash", "[ $v = a ]", '[ "$v" = a ]'),
    "write the words out": ("bash", "echo {,a}", "echo a"),
    "write plain words, quotes, pipes and redirections with blanks around them": (
        *("fish", "ls2>&1 a", "ls a 2>&1"),
    ),
    "put it into a variable first": ("bash", 'echo "${x:-";"}"', "y=';'; echo \"${x:-$y}\""),
    "write `;;`": ("bash", "case x in a) ls;& b) ls;; esac", "case x in a) ls;; b) ls;; esac"),
    "write a command, or leave the operator out": ("bash", "ls;\n;ls", "ls;\nls"),
    "use a number": ("bash", "echo ${x:$(ls):1}", "echo ${x:0:1}"),
    "name the variable itself": ("bash", "echo ${!x}", "echo ${x}"),
    "write `case x in a) ...;; esac`": ("bash", "case x", "case x in a) ls;; esac"),
    "write `name() { ...; }`": ("bash", "f() ls", "f() { ls; }; f"),
    "write `time command`": ("bash", "time", "time ls"),
    "write `$((...))`": ("bash", "echo $[1]", "echo $((1))"),
    "write `if exist name command`, with a plain name, and without `else`": (
        *("cmd", "if exist src (dir) else (dir docs)", "if exist src (dir) & if not exist src dir docs"),
    ),
    "run the commands one by one": ("cmd", "for %i in (a) do dir", "dir"),
    "write it on one line": ("cmd", "dir ^\nb", "dir b"),
    "write the command's name": ("powershell", "& { Get-ChildItem }", "& Get-ChildItem"),
    "run the commands themselves": ("powershell", ". ./x.ps1", "Get-ChildItem"),
    "use a cmdlet or a program instead": ("powershell", "(Get-Item x).Delete()", "Get-Item x"),
    "write plain quotes, dashes and spaces": (
        *("powershell", "Get-ChildItem \u2013Recurse", "Get-ChildItem -Recurse"),
    ),
    "use a plain variable": ("powershell", "${function:x} = 1", "$x = 1; Get-ChildItem"),
    "use double quotes in place of carets": ("cmd", "dir ^& | dir", 'dir "&" | dir'),
    "write the name of a variable": ("bash", "printf -v 'a[$(id)]' x", "printf -v a x"),
    "write a plain name": ("bash", "test -v 'a[$(id)]'", "test -v a"),
    "put a blank before the backslash, or write the word on one line": ("bash", "l\\\ns", "ls \\\n a"),
    "write one of them only": ("bash", "! ! ls", "! ls"),
    "put a blank before it": ("bash", "x+=(a)ls a", "x+=(a) ls a"),
    "put text with braces into single quotes": ("bash", "echo a{c..c}", "echo 'a{c..c}'"),
    "put an operator between them": ("bash", "x=1; y=2; ls $(($x$y))", "x=1; y=2; ls $(($x+$y))"),
    "write `2>&1`, or `> file 2>&1` for a file": ("bash", "ls >&f", "ls 2>&1"),
    'write ./ before the name: < ./"$file"': ("bash", 'cat < "$f"', 'cat < ./"$f"'),
    "put the text into single quotes": ("bash", "ls a(b)", "ls 'a(b)'"),
    "write it in a plainer way, or as several commands": ("bash", "ls <", "ls"),
    "put it into double quotes, after `--`; for a list of files, write `... | xargs command --`": (
        *("bash", "sort $x", 'sort -- "$x"'),
    ),
    "write it out; for a list of files, write `... | xargs -I{} command ./{}`": (
        *("bash", "gcc -E $(ls)", "ls | xargs -I{} gcc -E ./{}"),
    ),
    "write -e and its script before the files": ("bash", "sed words -e p", "sed -e p words"),
    "put `--` before it": ("bash", 'sort "$x"', 'sort -- "$x"'),
    "write ./ before the pattern": ("bash", "sort *.txt", "sort ./*.txt"),
    "write the option as a word of its own": ("bash", "awk -nF: '{print $1}' f", "awk -n -F: '{print $1}' f"),
    "write the program as a word of its own": ("bash", "awk '-e{print $1}' f", "awk -e '{print $1}' f"),
    "write -v for --assign, -F for the other": (
        "bash",
        "awk --assign n=1 '{print n}' f",
        "awk -v n=1 '{print n}' f",
    ),
    "write the options before the archive": ("bash", "unzip a.zip x -l", "unzip -l a.zip x"),
    "write -x behind the archive": ("bash", "unzip -x -l a.zip", "unzip -l a.zip -x"),
    "write the archive first": ("bash", "zip -x '*.o' -r a.zip src", "zip -r a.zip src -x '*.o'"),
    "write ./ before it": ("bash", 'find "$x"', 'find ./"$x"'),
    "write it out": ("bash", 'find . -print "$x"', "find . -print -quit"),
    "write ./ before a file, or write the value out": ("bash", 'gcc -E -I "$x" a.c', 'gcc -E -I ./"$x" a.c'),
    "write where it belongs, with ./ before it: xargs -I{} command ./{}": (
        "bash",
        "ls | xargs gcc -E",
        "ls | xargs -I{} gcc -E ./{}",
    ),
    "write the statements behind the database: sqlite3 db 'select 1'": (
        "bash",
        "cat f | sqlite3 a.db",
        "sqlite3 a.db 'select 1'",
    ),
    "write the statements after -c": ("bash", "cat f | psql a", "psql a -c 'select 1'"),
    "write the statements after -e": ("bash", "cat f | mysql a", "mysql a -e 'select 1'"),
    "write `ssh -n`": ("bash", "ls | cat; ssh h", "ls | cat; ssh -n h"),
    "write the command as arguments: redis-cli get x": ("bash", "cat f | redis-cli", "redis-cli get x"),
    "use a variable with another name": ("zsh", "((x=1)); x=$(ls)", "((x=1)); y=$(ls); echo $y"),
    "write the options first, with a dash": ("bash", "tar t* -f-", "tar -t -f-"),
    "run the program by its own name": ("bash", "npx ls", "ls"),
    "write --yes=true, or leave the option out": (
        "bash",
        "npx -y playwright install",
        "npx --yes=true playwright install",
    ),
    "leave the value of that option out": ("bash", "npx -y=true cowsay", "npx -y cowsay"),
    "write `=true` behind the option before the program": (
        "bash",
        "npx c8 --all mocha spec",
        "npx c8 --all=true mocha spec",
    ),
    "write it out: -I {}": ("bash", 'xargs -I "$x" ls "$x"', "xargs -I {} ls {}"),
    "write the value as a word of its own, in double quotes": (
        "bash",
        'env -u"$x" ls',
        'env -u "$x" ls',
    ),
    "write the value as a word of its own": ("bash", "kubectl apply -f=a.yaml", "kubectl apply -f a.yaml"),
    "use letters, digits and . , : / only": ("bash", "V='1;2' make", "V=1.2 make"),
    "put `--verify` before it": ("bash", 'git rev-parse "$x"', 'git rev-parse --verify "$x"'),
    "put `-r --` before the text": ("zsh", 'print "$x"', 'print -r -- "$x"'),
    "put a blank behind the command's name": ("cmd", "dir\\..\\x", "dir ..\\x"),
    "write the path with backslashes": ("cmd", "dir a/../b", "dir a\\..\\b"),
    "write the assignment without it: x=value": ("bash", 'declare x="$y"', 'x="$y"; ls'),
    "put it into quotes": ("bash", "find . -name *.py", "find . -name '*.py'"),
    "write one comparison for each `[ ... ]`, joined by && and ||": (
        "bash",
        '[ "$x" = "$y" -a "$z" ]',
        '[ "$x" = "$y" ] && [ "$z" ]',
    ),
    "give it one directory": ("bash", "pushd a b", "pushd a"),
    "write printf '%s\\n' before the value": ("bash", 'printf "$x"', "printf '%s\\n' \"$x\""),
    "use %s and %d": ("bash", "printf '%n' x", "printf '%s' x"),
    "assign it without readonly": ("bash", "readonly x=1", "x=1; ls"),
    'write the name in braces: "${x}"': ("bash", "x=a; echo $x{b,c}", 'x=a; echo "${x}"{b,c}'),
    "put options before values": ("bash", 'find . -exec cat "$x" -n \\;', 'find . -exec cat -n "$x" \\;'),
    "put a blank behind the number": ("bash", "cat <<< 1>&2", "cat <<< 1 >&2"),
    _BEHIND_DASHES: (
        "bash",
        "cat f | xargs sort -u",
        "cat f | xargs sort -u --",
    ),
    'write ./ before the name: `node --check ./"$f"`, `find src -print0 | xargs -0 -n1 node --check`': (
        "bash",
        'for f in *.js; do node --check "$f"; done',
        'for f in *.js; do node --check ./"$f"; done',
    ),
    "write the names out; for a list of files, `find src -print0 | xargs -0 command`": (
        "bash",
        "cat f | xargs npx eslint",
        "find src -name '*.ts' -print0 | xargs -0 npx eslint",
    ),
    "write the beginning of the address out: xargs -I{} curl -s https://x.example/{}": (
        "bash",
        "cat f | xargs -n1 curl -s",
        "cat f | xargs -I{} curl -s https://x.example/{}",
    ),
    "write the format out: -w '%{http_code}'": (
        *("bash", "curl -w @f http://x", "curl -w '%{http_code}' http://x"),
    ),
    "give it a number that is written out": ("bash", "RANDOM=$x", "RANDOM=42; ls"),
    "write the number out": ("zsh", 'read -t "$x" y', "read -t 5 y"),
    "write ulimit -n 1024": ("mksh", 'ulimit -n "$x"', "ulimit -n 1024"),
    "write umask 022": ("bash", 'umask "$x"', "umask 022"),
    "give it a number": ("zsh", 'shift "$x"', "shift 1"),
    "use %s": ("zsh", "printf '%d' \"$x\"", "printf '%s' \"$x\""),
    "leave it as it is": ("bash", "unset RANDOM", "unset x"),
    "compare numbers that are written out": ("zsh", '[ "$n" -gt 5 ]', "[ 6 -gt 5 ]"),
    'write `wait -- "$pid"` or `wait`': ("bash", "wait $x", "wait -- $x"),
    "write one name or value as the key: ${x[$key]}, ${x[key]}": (
        *("bash", "declare -A x; echo ${x[$(ls)]}", "declare -A x; key=$(ls); echo ${x[$key]}"),
    ),
    "use a name of its own for the array, and declare it first of all: declare -A name": (
        *("bash", "x=(a); declare -A x; x[$y]=1", "x=(a); declare -A z; z[$y]=1"),
    ),
    "write -n, -f and -p, each in a word of its own": ("bash", "wait -np x", "wait -n -p x"),
    "use -r": ("bash", "read -x y", "read -r y"),
    "close it, or put ^ before it": ("cmd", "(dir", "(dir)"),
    "write set NAME=value": ("cmd", "set a b=c", "set a=1"),
    "put & before it": ("cmd", "(dir) dir", "(dir) & dir"),
    "put the expression into a variable first: re='...'; [[ $x =~ $re ]]": (
        "bash",
        "[[ a =~ (b ]]",
        "re='b'; [[ a =~ $re ]]",
    ),
    "use `[ ... ]`": ("sh", "[[ a = b ]]", "[ a = b ]"),
    "compare numbers, and variables that hold one: `[[ $n -eq 1 ]]`": (
        "bash",
        "[[ a+1 -eq 1 ]]",
        "n=1; [[ $n -eq 1 ]]",
    ),
    "name a file after it": ("cmd", "dir >", "dir > nul"),
    "use a loop": (
        "bash",
        "echo {a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}",
        "for i in a b; do echo $i; done",
    ),
    "put a `;` before it": ("bash", "{ ls; } ls", "{ ls; }; ls"),
    "write `for x in ...; do ...; done`": ("bash", "for 1 in a; do ls; done", "for x in a; do ls; done"),
    "write `pattern)`": ("bash", "case a in b c) ls;; esac", "case a in b) ls;; esac"),
    "close it with `esac`": ("bash", "case a in b) ls; }", "case a in b) ls;; esac"),
    "give it another name": ("bash", "function then { ls; }", "f() { ls; }"),
    "put a blank after the `&`": ("zsh", "ls &| ls", "ls & ls"),
    "write `x=$((...))` or `[ ... ]`": ("sh", "((1))", "x=$((1)); ls"),
    "write `for i in 1 2 3`": ("sh", "for ((i=0;i<3;i++)); do ls; done", "for i in 1 2 3; do ls; done"),
    "write `2>&1 |`": ("sh", "ls |& cat", "ls 2>&1 | cat"),
    "put a blank after the `!`": ("bash", "!(ls)", "! (ls)"),
    'close it; inside, write `" for one': ("powershell", 'echo "a', 'echo "a`""'),
    "end it with '@ on a line of its own": ("powershell", "echo @'\na", "echo @'\na\n'@"),
    "write { ... }": ("powershell", "if ($x) ls", "if ($x) { ls }"),
    "run it as several calls": ("powershell", "ls;" * 1_200, "ls"),
    "begin its text on the next line": ("powershell", "echo @'a\n'@", "echo @'\na\n'@"),
    "write foreach ($x in ...) { ... }": ("powershell", "foreach ($x) { ls }", "foreach ($x in 1) { ls }"),
    "write @{ name = 'value'; other = 1 }": (
        *("powershell", "$x = @{ (ls) = 1 }; ls", "$x = @{ a = 1 }; ls"),
    ),
    "use Get-Content and a pipe": ("powershell", "sort < x", "Get-Content x | sort"),
    "use a plain number": ("powershell", "$x[1; ls", "$x[1]; ls"),
    "close every bracket": ("powershell", "(ls", "(ls)"),
    "write the here-document last": ("bash", "cat <<E 'a\nb'\nx\nE", "cat 'a\nb' <<E\nx\nE"),
    "put a `;` or a line's end before it, or quotes around it": (
        "bash",
        "while x=1 do ls; done",
        "while x=1; do ls; done",
    ),
    "quote the delimiter: <<'E'": ("bash", "cat <<E\na\\\nE", "cat <<'E'\na\\\nE"),
    "put the comment before the command": ("bash", "x=$(ls # a\n)", "# a\nx=$(ls)"),
    "write `cat < file`": ("zsh", "< f", "cat < f"),
    "put the name into quotes": ("bash", "a[1] ls", "'c1' ls"),
    'write x="$x..."': ("sh", "x+=a ls", 'x="${x}a" ls'),
    "use one variable for each element": ("sh", "x=(a b)", "x=a y=b; ls"),
    "write the text of the here-document into a variable or a file first": (
        "bash",
        "x=$(ls; cat <<E\na\nE\n)",
        "x=a; ls",
    ),
    "use a descriptor from 0 to 9": ("bash", "ls 12>&1", "ls 2>&1"),
    "write `> file 2>&1`": ("sh", "ls &> /dev/null", "ls > /dev/null 2>&1"),
    "use printf and a pipe": ("sh", "cat <<< x", "printf x | cat"),
    "assign it in a command of its own": ("bash", "export a[1]=x", "a[1]=x; ls"),
    "use it as an argument": ("bash", "x=<(ls)", "cat <(ls)"),
    "write plain words in it": ("bash", "x=(a;b)", "x=(a b); ls"),
    "write \\$, or quote the delimiter": ("bash", "cat <<E\n$'a'\nE", "cat <<E\n\\$'a'\nE"),
    "write its number": ("bash", "ls {fd}>/dev/null", "ls 3>/dev/null"),
    "use printf": ("sh", "echo $'a'", "printf a"),
    "use \\n, \\t, \\\\, \\', \\xHH or the character itself": ("bash", "echo $'\\c'", "echo $'\\n'"),
    "use a file or a pipe": ("sh", "cat <(ls)", "ls | cat"),
    "put a blank between them": ("bash", "cat <((ls))", "cat <( (ls))"),
    "put a blank after it": ("bash", "cat <(ls)x", "cat <(ls) x"),
    "put the hash into quotes": ("bash", "ls > #a", "ls '#a'"),
    "give large data as `stdin`, or write it to a file": ("bash", "ls " + "a" * 1_000_001, "ls"),
}
# The same inside of allowed directories.
_FENCED: dict[str, tuple[str, str]] = {
    "run the command at the end instead": ("trap 'ls' EXIT; ls", "ls; ls"),
    "write the path out, or loop over a pattern: for f in *.txt": (
        *('cat -- "$x"', 'for f in ./*.txt; do cat -- "$f"; done'),
    ),
    "write the path out": ('cat -- "$x"; ls', "cat -- src; ls"),
    "change the directory outside of the function": ("f() { cd src; ls; }; f", "f() { ls; }; cd src; f"),
    "write the directory's name out": ("cd s*", "cd src"),
    "write `(cd a && command) && (cd b && command)`, or the path from the root": (
        *("cd src && ls && cd .. && ls", "(cd src && ls) && (cd /srv/project && ls)"),
    ),
    "say where: `find src -type f -print0 | xargs -0 command`": (
        *("find src -name x | xargs cat --", "find src -type f -name x -print0 | xargs -0 cat --"),
    ),
    "leave the option out": ("find -L . -name x", "find . -name x"),
    "add `--sandbox`": ("pandoc x.rst", "pandoc --sandbox x.rst"),
    "run it as several commands, or write `(cd a && command)` with brackets around each": (
        *("for p in a b c; do cd ./$p; ls; done", "for p in a b c; do (cd ./$p && ls); done"),
    ),
    "write `-t f` before it": ("fd -x cat", "fd -t f -x cat"),
    "write `-type f` first among the tests": (*("find . -exec cat {} +", "find . -type f -exec cat {} +"),),
    "stay inside /srv/project": ("cat /etc/passwd", "cat /srv/project/passwd"),
    "stay inside /srv/project, or put it into quotes if it is no pattern for files": (
        *("echo /etc/*", "echo '/etc/*'"),
    ),
}
# The same where a file may be one of nacre's own.
_OWN = {
    "write the name of the file out, or loop over a pattern: for f in src/*.txt": (
        *('ls > ./"$x"', 'for f in src/*.txt; do ls > "$f"; done'),
    ),
    "write the path itself": ("ls > /proc/self/cwd/x", "ls > ./x"),
}
# The same for links, in a directory below the one that is allowed.
_LINKED = {
    "write the whole path of what it leads to, or use ln -sr": ("ln -s .. ../l", "ln -sr .. ../l"),
    "leave the link where it is, or copy what it leads to: cp a b": ("mv ../link .", "cp ../link f"),
}
# The same in a repository.
_UNPACKED = {
    "name a directory of its own (tar -C dir, unzip -d dir); for a patch, use git apply": (
        ("tar -xf a.tar", "tar -xf a.tar -C build"),
        ("unzip a.zip", "unzip a.zip -d build"),
        ("patch -p1 -i x.diff", "git apply x.diff"),
    ),
    "say what is to be found: -name '*.py', -not -path '*/.*', or start in a directory below": (
        ("find . -exec cp x {} +", "find . -name '*.py' -exec cp x {} +"),
        ("find . -exec cp x {} +", "find . -not -path '*/.*' -exec cp x {} +"),
        ("find . -exec cp x {} +", "find src -exec cp x {} +"),
    ),
    "put `--` before the first name": (("cp *.txt sub .", "cp -- *.txt sub ."),),
}
# Hints that name a part of the command: they are followed by hand in the tests of the values.
_WITH_NAMES = re.compile(
    r"assign a number to (?:\w+|\*) in the same command|end it with a line"
    r"|write `\$\{|write `; [\w}]+`|use -t only"
    r"|use `(?:hash -r|jobs -l)`|leave the attribute out|write x=\$|between two percent signs"
    r"|leave variables out|write the option in full|write it in full|attached to its option"
    r"|write the path out|write `[a-z-]+`(?: and `--[a-z-]+`)?, too"
)


def _cases() -> Iterator[tuple[str, str, Policy]]:
    for path in CORPORA:
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            case = json.loads(line)
            yield case["command"], case.get("shell", "bash"), case_policy(case["policy"], LOCAL_FILES)


def _refused() -> Iterator[tuple[str, str, Policy, Verdict]]:
    for text, shell, policy in _cases():
        verdict = judge(text, policy, shell=shell)
        if not verdict.allowed:
            yield text, shell, policy, verdict


def _with_rule(policy: Policy, rule: str) -> Policy:
    """The rule as a person would write it: a text, or a table of TOML."""
    return policy.allowing([tomllib.loads(f"rule = {rule}")["rule"] if rule.startswith("{") else rule])


def test_a_rule_that_a_hint_proposes_permits_what_was_refused() -> None:
    wrong: list[str] = []
    followed = 0
    for text, shell, policy, first in _refused():
        verdict = first
        for _ in range(_MOST_STEPS):
            proposed = _RULE.search(verdict.hint)
            if proposed is None:
                break
            followed += 1
            before, policy = verdict, _with_rule(policy, proposed.group(1))  # noqa: PLW2901 - step by step
            verdict = judge(text, policy, shell=shell)
            if (verdict.reason, verdict.start) == (before.reason, before.start):
                wrong.append(f"{text!r}: {before.reason}; {before.hint}")
                break
    assert followed > 50
    assert wrong == []


@pytest.mark.parametrize("hint", sorted(_REWRITTEN))
def test_a_command_that_was_rewritten_as_the_hint_says_is_allowed(hint: str) -> None:
    shell, bad, good = _REWRITTEN[hint]
    before = judge(bad, _PLAIN, shell=shell)
    assert not before.allowed
    assert hint in before.hint
    after = judge(good, _PLAIN, shell=shell)
    assert after.allowed, after


@pytest.mark.parametrize("hint", sorted({**_FENCED, **_OWN}))
def test_a_command_that_was_rewritten_as_the_hint_about_a_path_says_is_allowed(hint: str) -> None:
    bad, good = {**_FENCED, **_OWN}[hint]
    policy = replace(_PLAIN, own_files=("/srv/project/nacre.toml",), allow_writes=True, files=LOCAL_FILES)
    if hint in _FENCED:
        policy = replace(policy, allowed_directories=("/srv/project",))
    before = judge(bad, policy, cwd="/srv/project")
    assert not before.allowed
    assert hint in before.hint
    after = judge(good, policy, cwd="/srv/project")
    assert after.allowed, after


@pytest.mark.parametrize("hint", sorted(_LINKED))
def test_a_link_that_is_made_as_the_hint_says_is_allowed(hint: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    rules = Policy.from_lists(["ln", "mv", "cp"], allowed_directories=[str(tmp_path)])
    policy, cwd = replace(rules, files=LOCAL_FILES), str(tmp_path / "sub")
    bad, good = _LINKED[hint]
    before = judge(bad, policy, cwd=cwd)
    assert (before.decision, before.hint) == ("deny", hint)
    assert judge(good, policy, cwd=cwd).allowed


@pytest.mark.parametrize("hint", sorted(_UNPACKED))
def test_what_is_unpacked_as_the_hint_says_is_allowed(hint: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    rules = Policy.from_lists(["tar", "unzip", "patch", "git apply", "find", "cp"], allow_writes=True)
    policy = replace(rules, files=LOCAL_FILES)
    for bad, good in _UNPACKED[hint]:
        before = judge(bad, policy, cwd=str(tmp_path))
        assert (before.decision, before.hint) == ("deny", hint), bad
        assert judge(good, policy, cwd=str(tmp_path)).allowed, good


def _hints_in(path: Path) -> Iterator[str]:
    """The hints that a module gives, as they are written there; what is filled in is a star."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        given: list[ast.expr] = []
        if isinstance(node, ast.Call):
            given += [keyword.value for keyword in node.keywords if keyword.arg == "hint"]
            if isinstance(node.func, ast.Attribute) and node.func.attr == "unresolved":
                given += node.args[2:3]
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("hint"):
            given.append(node.value)
        for value in given:
            yield from _written(value, names)


def _written(value: ast.expr, names: dict[str, ast.expr]) -> Iterator[str]:
    if isinstance(value, ast.IfExp):
        yield from (*_written(value.body, names), *_written(value.orelse, names))
    elif isinstance(value, ast.Name) and value.id in names:
        yield from _written(names[value.id], {})
    elif isinstance(value, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in value.values)
    elif isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
        yield value.value


def test_every_hint_in_the_source_is_followed_here_or_for_a_person() -> None:
    package = Path(nacre.policy.__file__).parent
    hints = {hint for path in package.rglob("*.py") for hint in _hints_in(path)}
    assert len(hints) > 100
    followed = [*_REWRITTEN, *_FENCED, *_OWN, *_LINKED, *_UNPACKED, *(hint for _, hint, _, _ in _ORDINARY)]
    assert [
        hint
        for hint in sorted(hints)
        if not any(fnmatch.fnmatchcase(known, _as_pattern(hint)) for known in followed)
        and not _FOR_A_PERSON.match(hint)
        and not _WITH_NAMES.search(hint)
    ] == []


def _as_pattern(hint: str) -> str:
    return hint.replace("[", "[[]").replace("?", "[?]")


def test_every_hint_of_the_corpora_is_followed_here_or_for_a_person() -> None:
    unknown = {
        f"{verdict.hint}  <- {text!r}"
        for text, _, _, verdict in _refused()
        if verdict.hint
        and verdict.hint not in {*_REWRITTEN, *_FENCED, *_OWN, *_UNPACKED, *(case[1] for case in _ORDINARY)}
        and not _RULE.search(verdict.hint)
        and not _FOR_A_PERSON.match(verdict.hint)
        and not _WITH_NAMES.search(verdict.hint)
    }
    assert sorted(unknown) == []


# The rules of a person who names every program by its bare name: what is denied all the same, and what it
# becomes when its hint is followed (the command, the rules that the hint tells to add).
_BEFORE_A_NAME = (
    "write refs/heads/ or refs/tags/ before a name, `--end-of-options` before a commit, `--` before a path"
)
_ORDINARY: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "bash <<'EOF'\nls\nnpm test\nEOF",
        "write the commands themselves, without a shell around them",
        "ls\nnpm test",
        (),
    ),
    (
        "ssh host <<'EOF'\nuptime\nEOF",
        "write `ssh -n`, and the commands as an argument: ssh -n host 'uptime'",
        "ssh -n host 'uptime'",
        (),
    ),
    (
        "npx turbo run lint --filter=./packages/*",
        "put it into quotes",
        "npx turbo run lint --filter='./packages/*'",
        (),
    ),
    ("docker build -t app:$V .", "put it into double quotes", 'docker build -t "app:$V" .', ()),
    (
        "source .venv/bin/activate && pytest -q",
        "call its programs by path instead: `.venv/bin/python -m pytest`, with the rule `.venv/bin/python`",
        ".venv/bin/python -m pytest -q",
        (".venv/bin/python",),
    ),
    (
        ". venv/bin/activate && pip install -r requirements.txt",
        "call its programs by path instead: `venv/bin/python -m pytest`, with the rule `venv/bin/python`",
        "venv/bin/python -m pip install -r requirements.txt",
        ("venv/bin/python",),
    ),
    (
        "gofmt -l $(git ls-files '*.go')",
        "put it into double quotes, after `--`; for a list of files, write `... | xargs command --`",
        "git ls-files '*.go' | xargs gofmt -l --",
        (),
    ),
    (
        "ruff check $(git diff --name-only main -- '*.py')",
        "write it out; for a list of files, write `... | xargs -I{} command ./{}`",
        "git diff --name-only main -- '*.py' | xargs -I{} ruff check ./{}",
        (),
    ),
    (
        "git log $(git describe --tags --abbrev=0)..HEAD --oneline",
        _BEFORE_A_NAME,
        "git log refs/tags/$(git describe --tags --abbrev=0)..HEAD --oneline",
        (),
    ),
    (
        "git push -u origin $(git branch --show-current)",
        _BEFORE_A_NAME,
        'git push -u origin "refs/heads/$(git branch --show-current)"',
        (),
    ),
    (
        "grep -rl old src | xargs sed -i 's/old/new/g'",
        _BEHIND_DASHES,
        "find src -type f -print0 | xargs -0 sed -i 's/old/new/g'",
        (),
    ),
    (
        'git diff-tree -r --name-only "$SHA"',
        _BEFORE_A_NAME,
        'git diff-tree -r --name-only --end-of-options "$SHA"',
        (),
    ),
    (
        "git show $(git stash list | head -1 | cut -d: -f1)",
        "put it into double quotes, a commit after `--end-of-options`, a path after `--`",
        'git show --end-of-options "$(git stash list | head -1 | cut -d: -f1)"',
        (),
    ),
    (
        'git push origin HEAD:"$(git branch --show-current)"',
        "write refs/heads/ or refs/tags/ before a name, or write it out",
        'git push origin HEAD:refs/heads/"$(git branch --show-current)"',
        (),
    ),
    (
        "grep -rl old src | xargs sed -i 's/old/new/g' --",
        "say where: `grep -rlZ x src | xargs -0 command`, or `find src -print0 | xargs -0 command`",
        "grep -rlZ old src | xargs -0 sed -i 's/old/new/g'",
        (),
    ),
    (
        "git ls-files '*.md' | xargs -I{} sh -c 'echo {}; wc -w {}'",
        'write the text in single quotes, and values behind it: sh -c \'cat -- "$1"\' _ "$x"',
        "git ls-files '*.md' | xargs -I{} sh -c 'echo \"$1\"; wc -w -- \"$1\"' _ {}",
        (),
    ),
    (
        'for f in $(git diff --name-only); do ruff check "$f"; done',
        "write ./ before a file, or write the value out",
        'for f in $(git diff --name-only); do ruff check ./"$f"; done',
        (),
    ),
    (
        'psql "$DATABASE_URL" -c "select 1"',
        (
            'write the beginning of the address out: "postgresql://$x"; or give it after -d, '
            'which a rule would have to spell: `{command = "psql", options = ["-d"]}`'
        ),
        'psql "postgresql://$HOST/app" -c "select 1"',
        (),
    ),
    (
        "report() { git status; }; trap 'report; git log' EXIT",
        "write the function's commands here instead of its name",
        "trap 'git status' EXIT",
        (),
    ),
    (
        "git commit -F - <<EOF\nfix: a long \\\nline\nEOF",
        "quote the delimiter: <<'EOF'",
        "git commit -F - <<'EOF'\nfix: a long \\\nline\nEOF",
        (),
    ),
    (
        "git log -3 --format=%h | xargs -n1 git show --stat",
        "write at the end what the words are: `--end-of-options` for commits, `--` for paths and branches",
        "git log -3 --format=%h | xargs -n1 git show --stat --end-of-options",
        (),
    ),
    (
        "git branch --merged main | grep -v main | xargs git branch -d",
        "write at the end what the words are: `--end-of-options` for commits, `--` for paths and branches",
        "git branch --merged main | grep -v main | xargs git branch -d --",
        (),
    ),
    (
        'check() { "$@" && echo ok; }; check "$x"',
        "write the program's name out: no rule can allow what is not known",
        "git status && echo ok",
        (),
    ),
)
# The same for what a person must name as a variable.
_NAMED_VARIABLES = (
    ("PYTHONPATH=../src pytest -q", "PYTHONPATH"),
    ('export PATH="$HOME/.local/bin:$PATH" && pytest -q', "PATH"),
    ("MY_SETTINGS=conf/x.yaml pytest -q", "MY_SETTINGS"),
)
_BARE = [
    *("source", ".", "pytest", "pip", "gofmt", "git", "ruff", "psql", "export", "grep", "find", "sed"),
    *("sh", "wc", "head", "cut", "trap", "bash", "ls", "npm", "npx", "ssh", "uptime", "docker"),
]


@pytest.mark.parametrize(("bad", "hint", "good", "rules"), _ORDINARY, ids=[case[0] for case in _ORDINARY])
def test_the_hint_for_an_ordinary_command_leads_to_an_allow(
    bad: str, hint: str, good: str, rules: tuple[str, ...]
) -> None:
    policy = Policy.from_lists(_BARE, allow_writes=True)
    before = judge(bad, policy)
    assert (before.decision, before.hint) == ("deny", hint)
    after = judge(good, policy.allowing(rules))
    assert after.allowed, after


@pytest.mark.parametrize("text", ["source .venv/bin/activate && pytest", ". venv/bin/activate"])
def test_what_to_do_instead_of_activating_is_told_without_a_rule_for_source_too(text: str) -> None:
    assert "call its programs by path instead" in judge(text, Policy.from_lists(["pytest"])).hint


@pytest.mark.parametrize(("text", "name"), _NAMED_VARIABLES, ids=[case[1] for case in _NAMED_VARIABLES])
def test_a_variable_that_a_person_names_as_the_hint_says_may_be_set(text: str, name: str) -> None:
    policy = Policy.from_lists(_BARE)
    before = judge(text, policy)
    assert not before.allowed
    assert f'allowed_variables = ["{name}"]' in before.hint
    after = judge(text, replace(policy, allowed_variables=(name,)))
    assert after.allowed, after


@pytest.mark.req("policy-hint-cwd")
def test_a_rule_that_holds_elsewhere_is_told_with_its_place() -> None:
    policy = Policy.from_lists(allow=[{"command": "ls", "cwd": ["/srv"]}, "cat"])
    assert judge("ls", policy, cwd="/srv/x").decision == "allow"
    assert judge("ls", policy, cwd="/tmp").hint == "ls is allowed in /srv"
    assert judge("lsof", policy, cwd="/tmp").hint == "allowed here: cat"
