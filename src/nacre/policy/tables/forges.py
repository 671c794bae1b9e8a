# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""The clients of GitHub and GitLab: gh, glab.

Above: `tables` finds a program's entry by its name. Below: `schema`. They send to the host that the repository
belongs to: another one in the command must be spelled by a rule.
"""

from __future__ import annotations

from dataclasses import replace

from nacre.policy.tables.schema import Program

_GH_LIST = "-t= -L= -R= -q= -s= -l= -a= -A= -S= -B= -H= -m= -d -p= --limit= --repo= --json= --jq= --state= --label= --assignee= --author= --search= --base= --head= --milestone= --mention= --app= --draft --created= --updated= --template= --archived --fork --source --language= --topic= --visibility= --no-archived --sort= --order= --match= --owner= --event= --user= --workflow= --branch= --status= --commit= --all -b= -u= --exclude-drafts --exclude-pre-releases"
# Another machine than the one that is meant: an address, or a repository whose name begins with a host.
_OTHER_HOST = r"(?!https://(?:gist\.)?git(?:hub|lab)\.com/)[\w+.-]*://"
_OTHER_REPOSITORY = rf"{_OTHER_HOST}|(?!(?:git@)?git(?:hub|lab)\.com:|https:)[^/]*[:@]|(?!git(?:hub|lab)\.com/)[^/]+/[^/]+/[^/]+\Z"
# Without these it asks for a text, which can be written in an editor.
_FILLED = "--fill -f --fill-first --fill-verbose"
_TEXTS = (f"--title -t {_FILLED}", f"--body -b --body-file -F {_FILLED}")
_CHANGES = "--add-assignee --remove-assignee --add-label --remove-label --add-project --remove-project --milestone -m --remove-milestone --add-reviewer --remove-reviewer"
_CHANGED = (f"--title -t --body -b --body-file -F --base -B {_CHANGES}",)
_NOTES = "--notes -n --notes-file -F --generate-notes --notes-from-tag"
# Options that take the next word to every command that knows them, whatever it begins with.
_TAKEN = "--add-assignee --add-label --add-reviewer --assignee --author --base --body --branch --commit --event --head --jq --job --json --label --limit --method --milestone --notes --raw-field --ref --remove-label --reviewer --search --source-branch --state --status --subject --target --target-branch --title --user --workflow"
# To glab a dash in the place of a description starts an editor; its -d takes one, too.
_DESCRIPTION = ("--description=", r"(?!-\Z)[\s\S]*")

_COMMENT = Program(
    names="comment",
    reason="editors and browsers are programs",
    options="-b= -R= --body= --repo= --edit-last --create-if-none --delete-last --yes",
    plain_values=True,
    reads="-F= --body-file=",
    runs="-e --editor -w --web",
    operands="text",
    asks=("--body -b --body-file -F --delete-last",),
)

_GH = Program(
    names="gh",
    reason="aliases, extensions, editors and browsers are programs",
    options="-h --help --version",
    plain_values=True,
    spelled="alias browse codespace cs ssh-key gpg-key copilot attestation preview agent-task skill completion project ruleset",
    commands=(
        Program(
            names="auth",
            reason="it changes who one is, and shows tokens",
            commands=(
                Program(
                    names="status",
                    reason="it shows tokens",
                    options="-h= -a --hostname= --active",
                    runs="-t --show-token",
                    operands="text",
                    plain_values=True,
                ),
            ),
        ),
        Program(
            names="pr mr",
            reason="editors and browsers are programs",
            commands=(
                Program(
                    names="list ls status view checks diff show",
                    reason="a browser is a program",
                    options=f"{_GH_LIST} -c --comments --color= --name-only --patch --required --watch --fail-fast --interval= -i= --conflict-status",
                    plain_values=True,
                    runs="-w --web",
                    operands="text",
                    refuses=_OTHER_HOST,
                ),
                *(
                    Program(
                        # To glab -d takes a value, which `--` would be.
                        dashes=False,
                        names=names,
                        reason="editors and browsers are programs",
                        options="-a= -b= -B= -d -f -H= -l= -m= -p= -r= -R= -t= --title= --body= --base= --head= --assignee= --add-assignee= --remove-assignee= --label= --add-label= --remove-label= --milestone= --remove-milestone --project= --add-project= --remove-project= --reviewer= --add-reviewer= --remove-reviewer= --draft --fill --fill-first --fill-verbose --no-maintainer-edit --dry-run --repo= --target-branch= --source-branch= --remove-source-branch --yes -y",
                        plain_values=True,
                        reads="-F= --body-file= -T= --template= --recover=",
                        runs="-e --editor -w --web",
                        operands="text",
                        checks=(_DESCRIPTION,),
                        refuses=rf"-\Z|{_OTHER_HOST}",
                        asks=asks,
                        dashed_values="-t -b -B -H -l -a",
                    )
                    for names, asks in (("create new", _TEXTS), ("edit", _CHANGED))
                ),
                Program(
                    names="merge",
                    reason="a browser is a program",
                    asks=("--squash --merge --rebase -s -m -r --disable-auto",),
                    options="-A= -b= -d -m -r -R= -s -t= --admin --author-email= --auto --body= --delete-branch --disable-auto --match-head-commit= --merge --rebase --squash --subject= --repo=",
                    plain_values=True,
                    reads="-F= --body-file=",
                    operands="text",
                    refuses=_OTHER_HOST,
                ),
                Program(
                    names="review",
                    options="-a -b= -c -r -R= --approve --body= --comment --request-changes --repo=",
                    plain_values=True,
                    reads="-F= --body-file=",
                    operands="text",
                    refuses=_OTHER_HOST,
                    asks=("--approve --request-changes --comment -a -r -c",),
                ),
                replace(_COMMENT, refuses=_OTHER_HOST),
                Program(
                    names="close reopen ready checkout co update-branch lock unlock",
                    options="-b= -c= -d -f -r= -R= --comment= --delete-branch --branch= --detach --force --recurse-submodules --undo --reason= --repo= --rebase",
                    plain_values=True,
                    operands="text",
                    refuses=_OTHER_HOST,
                ),
            ),
        ),
        Program(
            names="issue",
            reason="editors and browsers are programs",
            commands=(
                Program(
                    names="list ls status view show",
                    reason="a browser is a program",
                    options=f"{_GH_LIST} -c --comments",
                    plain_values=True,
                    runs="-w --web",
                    operands="text",
                    refuses=_OTHER_REPOSITORY,
                ),
                *(
                    Program(
                        names=names,
                        reason="editors and browsers are programs",
                        options="-a= -b= -l= -m= -p= -R= -t= --title= --body= --assignee= --add-assignee= --remove-assignee= --label= --add-label= --remove-label= --milestone= --remove-milestone --project= --add-project= --remove-project= --repo=",
                        plain_values=True,
                        reads="-F= --body-file= -T= --template= --recover=",
                        runs="-e --editor -w --web",
                        operands="text",
                        checks=(_DESCRIPTION,),
                        refuses=rf"-\Z|{_OTHER_REPOSITORY}",
                        asks=asks,
                        dashed_values="-t -b -B -H -l -a",
                    )
                    for names, asks in (("create new", _TEXTS), ("edit", _CHANGED))
                ),
                Program(
                    names="close reopen lock unlock pin unpin transfer delete",
                    options="-c= -r= -R= --comment= --reason= --repo= --yes",
                    plain_values=True,
                    operands="text",
                    refuses=_OTHER_REPOSITORY,
                ),
                replace(_COMMENT, refuses=_OTHER_REPOSITORY),
            ),
        ),
        Program(
            names="repo",
            reason="browsers are programs, git runs configuration",
            spelled="delete archive rename edit sync deploy-key autolink set-default unarchive garden",
            commands=(
                Program(
                    names="list view",
                    reason="a browser is a program",
                    options=_GH_LIST,
                    plain_values=True,
                    runs="-w --web",
                    operands="text",
                    refuses=_OTHER_REPOSITORY,
                ),
                *(
                    Program(
                        names=names,
                        reason="options of git are programs",
                        options=f"{remote} -c -d= -h= -l= -t= -u= --add-readme --clone --description= --disable-issues --disable-wiki --gitignore= --homepage= --internal --license= --private --public --push --remote-name= --team= --upstream-remote-name= --default-branch-only --fork-name= --org= --include-all-branches --no-upstream",
                        plain_values=True,
                        # git runs there, with the hooks and the configuration of that repository.
                        checks=(("-s= --source=", r"\./?"), ("-p= --template=", r"[\w.-]+(?:/[\w.-]+)?")),
                        operands=operands,
                        refuses=rf"{_OTHER_REPOSITORY}|(?:.*[/:])?\.[^/]*/*\Z|[\w+.-]*::",
                        after=r"--depth(?:=\d+)?|\d+|--recurse-submodules|--single-branch|-q|--quiet",
                    )
                    # One that takes a value to one of them and none to another would take `--` for it. What is
                    # cloned lies in a directory of its name, or in the one that is named behind it.
                    for names, remote, operands in (
                        ("create", "--remote= -r=", "text"),
                        ("clone", "", "maybe change"),
                        ("fork", "--remote", "text"),
                    )
                ),
            ),
        ),
        Program(
            names="gist",
            reason="editors and browsers are programs; files are sent",
            spelled="clone edit",
            commands=(
                Program(
                    names="list ls view delete rename",
                    reason="a browser is a program",
                    options="-L= -f= -r --limit= --filename= --raw --files --public --secret --yes --filter= --include-content",
                    plain_values=True,
                    runs="-w --web",
                    operands="text",
                    refuses=_OTHER_HOST,
                ),
                Program(
                    names="create new",
                    reason="a browser is a program",
                    options="-d= -f= -p --desc= --filename= --public",
                    plain_values=True,
                    runs="-w --web",
                    operands="read",
                    refuses=r".*[*?\[]",
                ),
            ),
        ),
        Program(
            names="release",
            reason="browsers are programs; downloads are written, files are sent",
            spelled="download edit",
            commands=(
                Program(
                    names="list ls view delete delete-asset verify verify-asset",
                    reason="a browser is a program",
                    options="-L= -R= -q= -t= -y -O= --limit= --repo= --json= --jq= --template= --order= --exclude-drafts --exclude-pre-releases --cleanup-tag --yes",
                    plain_values=True,
                    runs="-w --web",
                    operands="text",
                    refuses=_OTHER_HOST,
                ),
                *(
                    Program(
                        names=names,
                        reason="files are sent",
                        options="-d -n= -p -t= -R= --repo= --title= --notes= --generate-notes --notes-start-tag= --notes-from-tag --draft --prerelease --latest? --target= --discussion-category= --verify-tag --fail-on-no-commits --clobber",
                        plain_values=True,
                        reads="-F= --notes-file=",
                        operands="text read",
                        # Behind `#` stands what it is called there; patterns are looked up by gh itself.
                        refuses=r".*[#*?\[]",
                        asks=asks,
                    )
                    for names, asks in (("create new", (_NOTES,)), ("upload", ()))
                ),
            ),
        ),
        Program(
            names="run",
            reason="browsers are programs; downloads are written",
            commands=(
                Program(
                    names="download",
                    reason="it writes files whose names it is told",
                    options="-n= -p= -R= -h --name= --pattern= --repo= --help",
                    fills="-D= --dir=",
                    only_with="-h --help",
                    looks="-h --help",
                    unpacks=True,
                    plain_values=True,
                    operands="text",
                ),
                # Its -w is the workflow.
                Program(
                    names="list ls",
                    options=f"{_GH_LIST} -c= -w= -e=",
                    plain_values=True,
                    operands="text",
                ),
                Program(
                    names="view watch rerun cancel delete",
                    reason="browsers are programs",
                    options=f"{_GH_LIST} -i= -j= -v -y --log --log-failed --verbose --exit-status --job= --attempt= --failed --debug --interval= --compact --force",
                    plain_values=True,
                    runs="-w --web",
                    operands="text",
                    refuses=_OTHER_HOST,
                ),
            ),
        ),
        Program(
            names="workflow",
            reason="a browser is a program",
            spelled="enable disable",
            commands=(
                Program(
                    names="list ls view",
                    reason="a browser is a program",
                    options=f"{_GH_LIST} --yaml --ref=",
                    plain_values=True,
                    runs="-w --web",
                    operands="text",
                ),
                Program(
                    names="run",
                    options="-f= -r= --raw-field= --ref= --json",
                    plain_values=True,
                    reads="-F= --field=",
                    operands="text",
                ),
            ),
        ),
        Program(
            names="label",
            reason="a browser is a program",
            spelled="delete clone",
            commands=(
                Program(
                    names="list ls",
                    reason="a browser is a program",
                    options=_GH_LIST,
                    plain_values=True,
                    runs="-w --web",
                    operands="text",
                ),
                Program(
                    names="create edit",
                    options="-c= -d= -n= --color= --description= --force --name=",
                    plain_values=True,
                    operands="text",
                ),
            ),
        ),
        Program(
            names="search",
            reason="a browser is a program",
            commands=(
                Program(
                    names="code commits issues prs repos",
                    reason="a browser is a program",
                    options=f"{_GH_LIST} --closed= --comments= --commenter= --extension= --filename= --followers= --forks= --good-first-issues= --include-forks= --include-prs --interactions= --involves= --locked --merged --merged-at= --no-assignee --no-label --reactions= --review= --review-requested= --reviewed-by= --size= --stars= --checks= --project= --hash=",
                    plain_values=True,
                    runs="-w --web",
                    operands="text",
                ),
            ),
        ),
        Program(
            names="cache org",
            reason="it removes what was kept",
            spelled="delete",
            commands=(
                Program(
                    names="list ls", options=f"{_GH_LIST} --key= --ref=", plain_values=True, operands="text"
                ),
            ),
        ),
        Program(
            names="status",
            options="-e= -o= --exclude= --org=",
            plain_values=True,
            operands="text",
        ),
        Program(
            names="secret variable",
            reason="it changes what workflows run with",
            spelled="set delete remove",
            commands=(
                Program(
                    names="list ls get",
                    options="-R= -a= -e= -o= -q= -t= --repo= --app= --env= --org= --user -u --json= --jq= --template=",
                    plain_values=True,
                    operands="text",
                ),
            ),
        ),
        Program(
            names="extension ext extensions",
            reason="extensions are programs",
            spelled="install upgrade remove create exec browse search",
            commands=(Program(names="list ls", operands="text"),),
        ),
        Program(
            names="config",
            reason="editors, browsers and pagers are programs",
            spelled="set clear-cache",
            commands=(
                Program(names="get list ls", options="-h= --host=", operands="text", plain_values=True),
            ),
        ),
        Program(
            names="api",
            reason="files are sent, to other machines too",
            options="-X= -f= -q= -t= -i --method= --raw-field= --jq= --template= --include --paginate --slurp --silent --verbose --cache=",
            plain_values=True,
            reads="--input= -F= --field=",
            # A header can say that another method is meant, or somebody else.
            checks=(
                ("-H= --header=", r"(?i)(?:accept|content-type|if-none-match|x-github-api-version):[^\r\n]*"),
            ),
            runs="--hostname=",
            operands="text",
            # `{branch}` and `:branch` become what the repository says: `{branch}://host/` is an address.
            refuses=r"(?!https://api\.github\.com/)[^/?#]*://",
        ),
    ),
)


def _forge(entry: Program, repository: str, shared: str) -> Program:
    """A command of gh or glab, all of which take a repository.

    Where options are shared, whether a letter takes a value differs from command to command: `gh ruleset list -pw`
    is `-p -w`.
    """
    return replace(
        entry,
        reason="; ".join(filter(None, (entry.reason, "another host gets what is sent, and the token"))),
        options=entry.options if "--help" in entry.options.split() else f"{entry.options} --help",
        single_letters=shared in entry.options and entry.names != "api",
        dashed_values=f"{_TAKEN} {entry.dashed_values}",
        checks=(*entry.checks, ("-R= --repo=", repository)),
        commands=tuple(_forge(command, repository, shared) for command in entry.commands),
    )


# What is the same there; its other commands, and requests to its interface, must be spelled.
_GLAB_KNOWS = "auth", "pr mr", "issue"


def _of_glab(entry: Program) -> Program:
    """What is a body to gh is a description to glab."""
    return replace(
        entry,
        asks=tuple(listed.replace("--body -b", "--description -d") for listed in entry.asks),
        commands=tuple(map(_of_glab, entry.commands)),
    )


_GLAB = replace(
    _GH,
    names="glab",
    commands=(
        *(_of_glab(command) for command in _GH.commands if command.names in _GLAB_KNOWS),
        Program(
            names="ci pipeline",
            reason="a browser is a program",
            commands=(
                Program(
                    names="list status trace lint",
                    reason="a browser is a program",
                    options="-b= --branch= --status= --page= --per-page=",
                    plain_values=True,
                    # `lint` sends a file.
                    operands="maybe",
                    refuses=_OTHER_HOST,
                ),
            ),
        ),
    ),
)
PROGRAMS = (
    _forge(_GH, r"(?:github\.com/)?[\w.-]+/[\w.-]+", _GH_LIST),
    # There, groups are in groups; its letters are others.
    _forge(_GLAB, r"[\w.-]+/[\w.-]+|(?:gitlab\.com|[\w-]+)(?:/[\w.-]+){2,4}", ""),
)
