# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""git: its sub-commands, and which of their options run programs or write files elsewhere.

Above: `tables` finds the entry. Below: `schema`. `programs` reads what a table cannot say (`-c`, `config`, signature
formats). Which options take the next word was tried with git itself: `git log --format --output=x` writes x.

What git runs by a repository's own configuration (hooks, filters, drivers, pagers, fsmonitor) is not visible in a
command: who can write `.git/config` or a hook can run programs through any git command.
"""

from __future__ import annotations

from functools import partial

from nacre.policy.tables.schema import REVISION, Program

_command = partial(Program, end_of_options=True)

_DIFF = "-a -b -B? -C? -c -D -e -G= -I= -l= -M? -m -p -R -r -s -S= -t -U? -u -W -w -X? -z --patch --no-patch --unified? --function-context --no-function-context --raw --patch-with-raw --patch-with-stat --numstat --shortstat --dirstat? --cumulative --dirstat-by-file? --check --summary --name-only --name-status --stat? --stat-width= --stat-name-width= --stat-graph-width= --stat-count= --compact-summary --no-compact-summary --binary --full-index --no-full-index --color? --no-color --ws-error-highlight= --abbrev? --no-abbrev --src-prefix= --dst-prefix= --line-prefix= --no-prefix --default-prefix --inter-hunk-context= --output-indicator-new= --output-indicator-old= --output-indicator-context= --break-rewrites? --find-renames? --irreversible-delete --find-copies? --find-copies-harder --no-find-copies-harder --no-renames --rename-empty --no-rename-empty --minimal --no-minimal --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines --ignore-matching-lines= --no-ignore-matching-lines --indent-heuristic --no-indent-heuristic --patience --histogram --diff-algorithm= --anchored= --word-diff? --word-diff-regex= --color-words? --color-moved? --no-color-moved --color-moved-ws= --no-color-moved-ws --relative? --no-relative --text --no-text --exit-code --no-exit-code --quiet --no-quiet --no-ext-diff --no-textconv --ignore-submodules? --submodule? --ita-invisible-in-index --ita-visible-in-index --pickaxe-all --pickaxe-regex --rotate-to= --skip-to= --find-object= --diff-filter= --diff-merges= --no-diff-merges --combined-all-paths --cc --dd --full-diff"
_REVISIONS = "-E -F -i -P -n= -g --max-count= --skip= --since= --after= --until= --before= --since-as-filter= --max-age= --min-age= --author= --committer= --grep= --grep-reflog= --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --remove-empty --merges --no-merges --min-parents? --max-parents? --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all --branches? --tags? --remotes? --glob= --exclude= --exclude-hidden= --reflog --alternate-refs --single-worktree --ignore-missing --bisect --stdin --cherry-mark --cherry-pick --left-only --right-only --cherry --walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk --pretty? --format? --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs? --no-expand-tabs --notes? --no-notes --show-notes? --standard-notes --no-standard-notes --relative-date --date= --parents --children --left-right --graph --no-graph --show-linear-break? --count --objects --end-of-options -h"
_LOG = "--follow --no-follow --decorate? --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --source --mailmap --no-mailmap --use-mailmap --no-use-mailmap --log-size --remerge-diff"
# -O reads an order of files; a repository's own drivers run for --textconv anyway, an external diff only for --ext-diff.
_DIFF_READS = "-O="
_DIFF_RUNS = "--ext-diff --textconv --show-signature"
# Some commands read their words twice, and older versions do not know an option's value: what begins with a dash
# may be an option of the other reading (`git archive --prefix --remote=.`). These always take the next word.
_TAKES_DASHES = "-S -G -n -L --grep --author --committer --since --until --after --before"
_SIGNS = "-S? --gpg-sign?"
_MERGES = "-e --edit --no-edit -n --stat --no-stat --summary --log? --no-log --squash --no-squash --commit --no-commit --ff --no-ff --ff-only --rerere-autoupdate --no-rerere-autoupdate -X= --strategy-option= -m= --message= -v -q --verbose --quiet --abort --continue --quit --allow-unrelated-histories --progress --no-progress --signoff --no-signoff --autostash --no-autostash --verify --no-verify --overwrite-ignore --cleanup= --into-name= -h"
_FETCHES = "-4 -6 -a -f -j= -k -m -n -o= -p -P -q -t -u -v --verbose --quiet --all --no-all --append --atomic --force --multiple --tags --no-tags --jobs= --prefetch --prune --no-prune --prune-tags --recurse-submodules? --no-recurse-submodules --dry-run --write-fetch-head --no-write-fetch-head --keep --update-head-ok --progress --no-progress --depth= --shallow-since= --shallow-exclude= --deepen= --unshallow --refetch --update-shallow --refmap= --server-option= --ipv4 --ipv6 --negotiation-tip= --filter= --no-filter --auto-maintenance --no-auto-maintenance --auto-gc --no-auto-gc --show-forced-updates --no-show-forced-updates --write-commit-graph --porcelain --stdin -h"
_CONFIG = "-z -t= -h --null --name-only --show-origin --show-scope --global --system --local --worktree --type= --no-type --bool --int --bool-or-int --bool-or-str --path --expiry-date --default= --fixed-value --includes --no-includes"
_CONFIG_RUNS = "-e --edit -f= --file= --blob= --rename-section --remove-section --comment="
# `ext::sh -c id` and the like name a program; a word that begins with a dash is no address.
_HELPER = r"[A-Za-z0-9+.-]*::"
_OTHER_SIDE = "the other side's program is an option, and so is an address that names one"

# Words in the place of a setting, to newer versions; options of their own follow.
CONFIG_VERBS = (
    _command(
        names="get list",
        reason="a file of settings from elsewhere",
        options=f"--all --regexp --value= --url= --show-names --no-show-names {_CONFIG}",
        runs=_CONFIG_RUNS,
        operands="text",
        stops=True,
    ),
    _command(
        names="set unset",
        reason="a file of settings from elsewhere",
        options=f"--all --append --value= {_CONFIG}",
        runs=_CONFIG_RUNS,
        operands="text",
        stops=True,
    ),
)

# A rule that spells one of these permits it, but no command in its options. The name of a tool is joined to a
# directory, and that file is read by the shell.
_SPELLED = (
    _command(
        names="difftool mergetool",
        reason="-x is a command, and so is a tool that is a path",
        options="-d -g -h -y --cached --dir-diff --gui --no-gui --no-prompt --no-symlinks --prompt --staged --symlinks --tool-help --trust-exit-code --no-trust-exit-code",
        checks=(("-t= --tool=", r"[a-z][a-z0-9_]*"),),
        runs="-x= --extcmd=",
        operands="maybe",
    ),
    _command(
        names="filter-branch",
        reason="filters are commands",
        options="-f -h --force --prune-empty",
        runs="--setup= --env-filter= --tree-filter= --index-filter= --parent-filter= --msg-filter= --commit-filter= --tag-name-filter= -d=",
        operands="maybe",
    ),
    _command(
        names="send-email",
        reason="a server that is a path is run",
        options="-h --bcc= --cc= --dry-run --from= --quiet --subject= --to=",
        runs="--annotate --cc-cmd= --compose --header-cmd= --sendmail-cmd= --smtp-server= --to-cmd=",
        operands="maybe",
    ),
    _command(
        names="instaweb",
        reason="a server and a browser are programs",
        options="-h -l -p= --local --port= --restart --start --stop",
        runs="-b= -d= -m= --browser= --httpd= --module-path=",
    ),
    _command(
        names="daemon",
        reason="the hook is a program",
        options="--export-all --inetd --listen= --port= --reuseaddr --verbose",
        runs="--access-hook=",
        operands="read",
    ),
)

GIT = _command(
    names="git",
    reason="a repository, its configuration and its options can run programs",
    options="-v -h -P --version --no-pager --no-replace-objects --no-optional-locks --no-lazy-fetch --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --html-path --man-path --info-path --namespace= --no-advice",
    enters="-C=",
    runs="--bare -c= --config-env= --exec-path? --git-dir= --work-tree= --attr-source= --super-prefix= -p --paginate --help",
    stops=True,
    spelled="bisect-run help difftool mergetool filter-branch instaweb send-email daemon shell upload-pack receive-pack credential hook maintenance gui citool gitk flow svn p4",
    commands=(
        *_SPELLED,
        _command(
            names="lfs",
            reason="it changes hooks and settings, and runs what these name",
            spelled="install uninstall update track untrack migrate push pull fetch checkout clean smudge filter-process prune fsck lock unlock clone dedup ext merge-driver locks post-checkout post-commit post-merge pre-push standalone-file completion",
            commands=(
                _command(
                    names="ls-files status env version",
                    options="-a -d -l -n -s -I= -X= -j -p --all --deleted --debug --long --name-only --size --include= --exclude= --json --porcelain -h --help",
                    operands="text",
                ),
            ),
        ),
        _command(
            names="status",
            options="-v -s -b -z -u? -M? --verbose --short --branch --no-branch --show-stash --ahead-behind --no-ahead-behind --porcelain? --long --null --untracked-files? --ignored? --ignore-submodules? --column? --no-column --no-renames --renames --find-renames? -h",
            harmless=True,
        ),
        _command(
            names="log whatchanged show reflog",
            plain_values=True,
            dashed_values=_TAKES_DASHES,
            reason="an external diff is a program, signatures are checked by one; --output writes",
            options=f"{_DIFF} {_REVISIONS} {_LOG}",
            reads=f"{_DIFF_READS} -L=",
            writes="--output=",
            runs=_DIFF_RUNS,
            numbers=True,
        ),
        _command(
            names="diff diff-tree diff-index diff-files",
            plain_values=True,
            dashed_values=_TAKES_DASHES,
            reason="an external diff is a program; --output writes",
            options=f"{_DIFF} {_REVISIONS} --cached --staged --merge-base --base --ours --theirs --no-index --root --no-commit-id -1 -2 -3 -0",
            reads=_DIFF_READS,
            writes="--output=",
            runs=_DIFF_RUNS,
        ),
        _command(
            names="range-diff",
            plain_values=True,
            dashed_values=_TAKES_DASHES,
            reason="an external diff is a program; --output writes",
            options=f"{_DIFF} --creation-factor= --no-dual-color --notes? --no-notes --left-only --right-only -h",
            reads=_DIFF_READS,
            writes="--output=",
            runs=_DIFF_RUNS,
        ),
        _command(
            names="shortlog",
            plain_values=True,
            dashed_values=_TAKES_DASHES,
            reason="--output writes",
            options="-n -s -e -w? -c --numbered --summary --email --committer --group= --format? --since= --after= --until= --before= --author= --grep= --merges --no-merges --first-parent --all --branches? --tags? --remotes? --not --max-count= --skip= -h",
            writes="--output=",
            runs=_DIFF_RUNS,
        ),
        _command(
            names="format-patch",
            plain_values=True,
            dashed_values=_TAKES_DASHES,
            reason="patches are written as files; --output writes",
            options="-n -N -s -k -p -q -M? -C? -U? -v= --numbered --no-numbered --signoff --stdout --cover-letter --no-cover-letter --numbered-files --start-number= --reroll-count= --filename-max-length= --rfc? --cover-from-description= --subject-prefix= --keep-subject --no-binary --zero-commit --ignore-if-in-upstream --no-stat --stat? --add-header= --to= --cc= --from? --in-reply-to= --attach? --inline? --thread? --no-thread --signature= --no-signature --base= --progress --interdiff= --creation-factor= --root -h",
            # Ranges are read like the arguments of `git log`.
            checks=(("--suffix=", r"[\w.-]*"), ("--range-diff=", REVISION)),
            reads="-O= --signature-file= --description-file=",
            writes="-o= --output-directory= --output=",
            runs=_DIFF_RUNS,
            numbers=True,
        ),
        _command(
            names="blame annotate",
            plain_values=True,
            dashed_values=_TAKES_DASHES,
            reason="--output writes",
            options="-b -c -e -f -l -n -p -s -t -w -C? -L= -M? --show-name --show-number --porcelain --line-porcelain --incremental --score-debug --show-stats --root --show-email --minimal --color-lines --color-by-age --ignore-rev= --abbrev? --date= --since= --progress --no-progress --first-parent --encoding= -h",
            reads="--contents= --ignore-revs-file= -S=",
            writes="--output=",
            runs=_DIFF_RUNS,
        ),
        _command(
            names="grep",
            reason="-O opens the hits in a program",
            options="-a -A= -B= -C= -c -E -e= -F -G -h -H -i -I -l -L -m= -n -o -p -P -q -r -v -w -W -z --and --or --not --cached --untracked --no-index --exclude-standard --no-exclude-standard --recurse-submodules --text --no-textconv --ignore-case --invert-match --word-regexp --recursive --no-recursive --max-depth= --basic-regexp --extended-regexp --fixed-strings --perl-regexp --line-number --column --full-name --files-with-matches --name-only --files-without-match --null --only-matching --count --color? --no-color --break --heading --context= --before-context= --after-context= --threads= --show-function --function-context --quiet --all-match --max-count= -( -)",
            reads="-f=",
            runs="-O? --open-files-in-pager? --ext-grep --textconv",
            numbers=True,
        ),
        _command(
            names="ls-files",
            options="-z -t -v -f -c -d -m -o -i -s -k -u -x= --cached --deleted --modified --others --ignored --stage --killed --directory --eol --no-empty-directory --unmerged --resolve-undo --exclude= --exclude-standard --full-name --recurse-submodules --error-unmatch --with-tree= --abbrev? --debug --deduplicate --sparse --format= -h",
            reads="-X= --exclude-from=",
            # A file in each directory: with a slash it is one elsewhere.
            checks=(("--exclude-per-directory=", r"[^/]+"),),
            harmless=True,
        ),
        _command(
            names="ls-tree",
            options="-d -r -t -z -l --long --name-only --name-status --object-only --full-name --full-tree --format= --abbrev? -h",
            harmless=True,
        ),
        _command(
            names="rev-parse",
            reads="--resolve-git-dir=",
            operands="text",
            harmless=True,
        ),
        _command(
            names="rev-list",
            plain_values=True,
            dashed_values=_TAKES_DASHES,
            reason="--output writes",
            options=f"{_REVISIONS} --header --timestamp --disk-usage? --objects-edge --unpacked --in-commit-order --filter? --no-filter --filter-print-omitted --missing? --quiet --use-bitmap-index --progress? --no-commit-header --commit-header --no-object-names --object-names --bisect-all --bisect-vars",
            writes="--output=",
            runs=_DIFF_RUNS,
            numbers=True,
        ),
        _command(
            names="describe",
            options="--contains --all --tags --long --first-parent --abbrev? --exact-match --candidates= --match= --exclude= --always --dirty? --broken? --debug -h",
            operands="text",
        ),
        _command(
            names="merge-base",
            options="-a --all --octopus --independent --is-ancestor --fork-point -h",
            operands="text",
        ),
        _command(
            names="name-rev",
            options="--name-only --tags --refs= --exclude= --all --stdin --annotate-stdin --undefined --always -h",
            operands="text",
        ),
        _command(
            names="show-ref",
            options="-d -s? -q --tags --heads --branches --head --verify --exists --dereference --hash? --abbrev? --quiet -h",
            operands="text",
        ),
        _command(
            names="show-branch",
            options="-a -r -g? --all --remotes --color? --no-color --more? --list --no-name --current --sha1-name --merge-base --independent --topo-order --topics --sparse --date-order --reflog? -h",
            operands="text",
        ),
        _command(
            names="for-each-ref",
            options="-s -p --shell --perl --python --tcl --count= --format= --color? --sort= --points-at= --merged= --no-merged= --contains= --no-contains= --ignore-case --stdin --include-root-refs --omit-empty --exclude= -h",
            operands="text",
        ),
        _command(
            names="count-objects cherry fsck var version",
            options="-v -H -h --verbose --human-readable --abbrev? --build-options --unreachable --dangling --no-dangling --root --full --connectivity-only --strict --lost-found --progress --no-progress --tags --cache --reflogs --no-reflogs --name-objects",
            operands="text",
        ),
        _command(
            names="check-ignore check-attr",
            options="-q -v -z -n -a --quiet --verbose --stdin --non-matching --no-index --all --cached --source= -h",
        ),
        _command(
            names="symbolic-ref",
            reason="any other name is a file of git's own: hooks/x",
            options="-q -d -m= --quiet --delete --short --recurse --no-recurse -h",
            operands="text",
            refuses=r"(?![A-Z_]*HEAD\Z|refs/)|.*\.\.",
        ),
        _command(
            names="gc prune pack-refs",
            options="-q -n -v -h --quiet --aggressive --auto --force --keep-largest-pack --cruft --no-cruft --all --prune? --no-prune --expire= --dry-run --verbose --progress --no-progress",
            operands="text",
        ),
        # Without -w nothing is kept; filters are the repository's own, as for `git add`.
        _command(
            names="hash-object",
            reason="-w writes, and a list of files is read",
            options="-t= --stdin --no-filters -h",
            operands="read",
        ),
        _command(
            names="cat-file",
            reason="filters and text conversions are programs",
            options="-e -p -t -s -z -Z --allow-unknown-type --use-mailmap --mailmap --batch? --batch-check? --batch-command? --batch-all-objects --buffer --follow-symlinks --unordered --path= -h",
            runs="--filters --textconv",
        ),
        _command(
            names="branch",
            options="-v -vv -q -t? -u= -r -a -d -D -m -M -c -C -l -f -i --verbose --quiet --track? --no-track --set-upstream-to= --unset-upstream --color? --no-color --remotes --contains= --no-contains= --abbrev? --no-abbrev --all --delete --move --copy --list --show-current --create-reflog --force --merged= --no-merged= --column? --no-column --sort= --points-at= --ignore-case --recurse-submodules --format= --omit-empty -h",
            runs="--edit-description",
            operands="text",
            reason="an editor is a program",
            # With -d, `--no-delete` takes it back.
            names_with="-D",
        ),
        _command(
            names="tag",
            reason="signatures are made and checked by a program",
            options="-l -n? -d -a -m= -f -i -e --list --delete --annotate --message= --edit --force --column? --no-column --contains= --no-contains= --merged= --no-merged= --sort= --points-at= --format= --color? --ignore-case --cleanup= --create-reflog --omit-empty --trailer= --no-sign -h",
            reads="-F= --file=",
            runs="-s --sign -u= --local-user= -v --verify",
            operands="text",
            names_with="-d --delete",
        ),
        _command(
            names="remote",
            reason=_OTHER_SIDE,
            options="-v --verbose -h",
            operands="text",
            commands=(
                _command(
                    names="add rename remove rm set-head set-branches get-url set-url show prune update",
                    reason=_OTHER_SIDE,
                    options="-a -d -f -m= -n -p -q -t= -v --fetch --tags --no-tags --mirror? --master= --track= --auto --delete --add --push --all --dry-run --prune --no-progress --progress --verbose --quiet -h",
                    operands="maybe",
                    refuses=_HELPER,
                ),
            ),
        ),
        _command(
            names="add stage",
            reason="-e opens an editor",
            options="-n -v -p -i -f -u -N -A --dry-run --verbose --patch --interactive --force --update --renormalize --intent-to-add --all --no-all --ignore-removal --no-ignore-removal --refresh --ignore-errors --ignore-missing --sparse --chmod= --pathspec-file-nul -h",
            reads="--pathspec-from-file=",
            runs="-e --edit",
        ),
        _command(
            names="update-index",
            reason="entries that no file of the work tree has, and a monitor of files",
            options="-q --chmod= --refresh --really-refresh --again -g --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree --add --remove --verbose",
        ),
        _command(
            names="rm mv",
            options="-n -q -v -f -k -r --dry-run --quiet --verbose --force --cached --ignore-unmatch --sparse --pathspec-file-nul -h",
            reads="--pathspec-from-file=",
            operands="change",
            harmless=True,
        ),
        _command(
            names="commit",
            reason="a signature is made by a program",
            options="-q -v -m= -c= -C= -s -e -a -i -p -o -n -z -u? --quiet --verbose --author= --date= --message= --reedit-message= --reuse-message= --fixup= --squash= --reset-author --trailer= --signoff --no-signoff --edit --no-edit --cleanup= --status --no-status --all --include --interactive --patch --only --no-verify --verify --dry-run --short --branch --ahead-behind --porcelain --long --null --amend --no-post-rewrite --untracked-files? --pathspec-file-nul --allow-empty --allow-empty-message --no-gpg-sign -h",
            reads="-F= --file= -t= --template= --pathspec-from-file=",
            runs=_SIGNS,
        ),
        _command(
            names="checkout switch restore",
            options="-b= -B= -c= -C= -l -q -m -d -t? -f -p -2 -3 -s= -S -W --guess --no-guess --overlay --no-overlay --quiet --recurse-submodules --no-recurse-submodules --progress --no-progress --merge --conflict= --detach --track? --no-track --force --discard-changes --orphan= --overwrite-ignore --ignore-other-worktrees --ours --theirs --patch --ignore-skip-worktree-bits --pathspec-file-nul --create= --force-create= --source= --staged --worktree --ignore-unmerged -h",
            reads="--pathspec-from-file=",
            operands="alter",
        ),
        _command(
            names="reset",
            options="-q -p -N --quiet --no-quiet --mixed --soft --hard --merge --keep --patch --intent-to-add --no-refresh --refresh --recurse-submodules? --no-recurse-submodules --pathspec-file-nul -h",
            reads="--pathspec-from-file=",
        ),
        _command(
            names="clean",
            options="-q -n -f -i -d -e= -x -X --quiet --dry-run --force --interactive --exclude= -h",
            operands="change",
        ),
        _command(
            names="stash",
            reason="an external diff is a program; --output writes",
            options="-p -k -q -u -a -m= -S --patch --keep-index --no-keep-index --quiet --include-untracked --all --message= --staged --index",
            commands=(
                _command(
                    names="push save",
                    options="-p -k -q -u -a -m= -S --patch --keep-index --no-keep-index --quiet --include-untracked --all --message= --staged --pathspec-file-nul -h",
                    reads="--pathspec-from-file=",
                    operands="alter",
                ),
                _command(
                    names="pop apply drop clear branch create store",
                    options="-q -m= --quiet --index --message= -h",
                    operands="text",
                ),
                _command(
                    names="list show",
                    # `show` takes every word without a dash for its own, and hands the others on.
                    plain_values=True,
                    reason="an external diff is a program; --output writes",
                    options=f"{_DIFF} {_REVISIONS} {_LOG} --include-untracked --only-untracked --no-include-untracked",
                    reads=_DIFF_READS,
                    writes="--output=",
                    runs=_DIFF_RUNS,
                    numbers=True,
                ),
            ),
        ),
        _command(
            names="merge",
            reason="a strategy is a program, and so is what makes a signature",
            options=_MERGES,
            reads="-F= --file=",
            runs=f"-s= --strategy= --verify-signatures {_SIGNS}",
            operands="text",
        ),
        _command(
            names="pull",
            reason=f"a strategy is a program; {_OTHER_SIDE}",
            options=f"{_MERGES.replace('-m= --message= ', '').replace('-e --edit', '--edit')} {_FETCHES.replace('-m ', '').replace('-j= ', '-j? ').replace('--jobs= ', '--jobs? ')} --no-rebase",
            # An interactive one starts an editor.
            checks=(("-r? --rebase?", r"true|false|merges"),),
            runs=f"-s= --strategy= --verify-signatures --upload-pack= {_SIGNS}",
            refuses=_HELPER,
        ),
        _command(
            names="fetch",
            reason=_OTHER_SIDE,
            options=_FETCHES,
            runs="--upload-pack=",
            refuses=_HELPER,
        ),
        _command(
            names="push",
            reason=_OTHER_SIDE,
            options="-v -q -d -n -f -u -o= -4 -6 --verbose --quiet --all --branches --mirror --delete --tags --dry-run --porcelain --force --force-with-lease? --no-force-with-lease --force-if-includes --no-recurse-submodules --thin --no-thin --set-upstream --progress --no-progress --prune --no-verify --verify --follow-tags --no-follow-tags --no-signed --atomic --push-option= --ipv4 --ipv6 -h",
            # A submodule may come from this machine, where pushing runs hooks.
            checks=(("--recurse-submodules=", "check|no"),),
            runs="--receive-pack= --exec= --signed? --repo=",
            refuses=_HELPER,
        ),
        _command(
            names="ls-remote",
            reason=_OTHER_SIDE,
            options="-q -t -b -o= --quiet --tags --heads --branches --refs --get-url --sort= --symref --exit-code --server-option= -h",
            runs="--upload-pack= --exec=",
            refuses=_HELPER,
        ),
        _command(
            names="clone",
            reason="configuration, templates and the other side's program are code, and so is an address that names one",
            options="-v -q -n -l -s -j= -b= -4 -6 --verbose --quiet --progress --no-progress --reject-shallow --no-reject-shallow --no-checkout --local --no-local --no-hardlinks --shared --recurse-submodules? --recursive? --jobs= --branch= --revision= --depth= --shallow-since= --shallow-exclude= --single-branch --no-single-branch --no-tags --tags --shallow-submodules --no-shallow-submodules --dissociate --server-option= --ipv4 --ipv6 --filter= --also-filter-submodules --remote-submodules --sparse --ref-format= -h",
            reads="--reference= --reference-if-able=",
            # To `git remote update` the name of a remote is an option, where it begins with a dash.
            checks=(("--bundle-uri=", r"https?://[\s\S]*"), ("-o= --origin=", r"\w[\w./-]*")),
            # git's own files would lie under another name.
            runs="-u= --upload-pack= -c= --config= --template= --separate-git-dir= --bare --mirror",
            operands="maybe change",
            refuses=_HELPER,
        ),
        _command(
            names="init",
            reason="templates hold hooks, and git's own files must not lie under another name",
            options="-q -b= --quiet --shared? --initial-branch= --object-format= --ref-format= -h",
            runs="--template= --separate-git-dir= --bare",
            operands="change",
        ),
        _command(
            names="rebase",
            reason="it runs commands between the steps, and an editor",
            options="-q -v -n -C= -f -m -r? -X= -k -i --interactive --onto= --keep-base --no-verify --verify --quiet --verbose --no-stat --stat --signoff --committer-date-is-author-date --reset-author-date --ignore-whitespace --whitespace= --force-rebase --no-ff --continue --skip --abort --quit --show-current-patch --apply --merge --rerere-autoupdate --no-rerere-autoupdate --keep-empty --empty= --autosquash --no-autosquash --update-refs --no-update-refs --autostash --no-autostash --rebase-merges? --no-rebase-merges --fork-point --no-fork-point --strategy-option= --root --reschedule-failed-exec --no-reschedule-failed-exec --reapply-cherry-picks --no-reapply-cherry-picks --no-gpg-sign -h",
            runs=f"-x= --exec= --edit-todo -s= --strategy= {_SIGNS}",
            operands="text",
        ),
        _command(
            names="cherry-pick revert",
            reason="a strategy is a program, and so is what makes a signature",
            options="-n -e -s -m= -X= -x -r --no-commit --edit --no-edit --signoff --no-signoff --mainline= --rerere-autoupdate --no-rerere-autoupdate --strategy-option= --ff --allow-empty --allow-empty-message --keep-redundant-commits --empty= --cleanup= --reference --continue --skip --abort --quit --no-gpg-sign -h",
            runs=f"--strategy= {_SIGNS}",
            operands="text",
        ),
        _command(
            names="apply",
            reason="--unsafe-paths writes outside of the repository",
            options="-p= -N -3 -z -C= -R -v -q --exclude= --include= --no-add --stat --numstat --summary --check --index --intent-to-add --cached --apply --3way --ours --theirs --union --unidiff-zero --whitespace= --ignore-space-change --ignore-whitespace --reverse --reject --allow-overlap --allow-binary-replacement --binary --verbose --quiet --inaccurate-eof --recount --directory= --allow-empty -h",
            writes="--build-fake-ancestor=",
            runs="--unsafe-paths",
            operands="read",
        ),
        _command(
            names="am",
            reason="a signature is made by a program",
            options="-3 -q -s -u -k -m -c -C= -p= -r --3way --quiet --signoff --utf8 --no-utf8 --keep --keep-non-patch --message-id --no-message-id --keep-cr --no-keep-cr --scissors --no-scissors --quoted-cr= --whitespace= --ignore-space-change --ignore-whitespace --directory= --exclude= --include= --patch-format= --reject --continue --resolved --skip --abort --quit --show-current-patch? --retry --allow-empty --committer-date-is-author-date --ignore-date --rerere-autoupdate --empty= --no-verify -h",
            runs=f"-i --interactive --resolvemsg= {_SIGNS}",
            operands="read",
        ),
        _command(
            names="archive",
            plain_values=True,
            # Older versions do not know it, and go on looking for --remote and --exec.
            end_of_options=False,
            reason="-o writes; the other side's program is an option",
            options="-v -l -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --format= --prefix= --add-virtual-file= --mtime= --verbose --list --worktree-attributes -h",
            reads="--add-file=",
            writes="-o= --output=",
            runs="--remote= --exec=",
        ),
        _command(
            names="bundle",
            reason="it writes a file",
            options="-q -h",
            commands=(
                _command(
                    names="verify list-heads unbundle",
                    options="-q --quiet --progress -h",
                    operands="read text",
                ),
                _command(
                    names="create",
                    reason="it is the bundle",
                    plain_values=True,
                    options=f"-q --quiet --progress --all-progress --version= {_REVISIONS}",
                    operands="write text",
                ),
            ),
        ),
        _command(
            names="worktree",
            options="-h",
            commands=(
                *(
                    _command(
                        names=names,
                        options="-f -b= -B= -d -v -n -q -z --force --detach --checkout --no-checkout --lock --reason= --quiet --track --no-track --guess-remote --no-guess-remote --orphan --porcelain --expire= --verbose --dry-run --relative-paths -h",
                        operands=operands,
                    )
                    for names, operands in (
                        ("add", "change maybe"),
                        ("list lock move prune remove unlock", "change"),
                    )
                ),
            ),
        ),
        _command(
            names="bisect",
            reason="`run` runs a program at every step",
            options="-h",
            spelled="run visualize view replay",
            commands=(
                _command(names="run", stops=True, passes=True),
                _command(
                    names="start good bad new old reset skip log terms next",
                    options="--term-good= --term-bad= --term-new= --term-old= --no-checkout --first-parent",
                ),
            ),
        ),
        _command(
            names="submodule",
            reason="`foreach` runs a command in each submodule",
            options="-q --quiet --cached -h",
            spelled="foreach",
            commands=(
                *(
                    _command(
                        names=name,
                        reason="an address can name a program",
                        options="-b= -d -f -n= -N -q -j= --quiet --cached --recursive --init --remote --no-fetch --no-recommend-shallow --recommend-shallow --force --checkout --merge --rebase --depth= --jobs= --single-branch --no-single-branch --filter= --progress --branch= --default --all --files --summary-limit= -h",
                        reads="--reference=",
                        checks=(("--name=", r"\w[\w./-]*"),) if name == "add" else (),
                        operands=operands,
                        refuses=_HELPER,
                    )
                    for name, operands in (
                        ("add", "maybe change"),
                        ("status init deinit update summary sync", "maybe"),
                    )
                ),
            ),
        ),
        _command(
            names="notes",
            reason="an editor is a program",
            options="--ref= -h",
            commands=(
                _command(
                    names="list add copy append show remove prune merge get-ref",
                    options="-m= -f -C= -n -v -q -s= --message= --reuse-message= --force --stdin --ignore-missing --allow-empty --dry-run --verbose --quiet --strategy= --commit --abort -h",
                    reads="-F= --file=",
                    operands="text",
                ),
            ),
        ),
        _command(
            names="sparse-checkout",
            options="-h",
            commands=(
                _command(
                    names="list init set add reapply disable check-rules",
                    options="--cone --no-cone --sparse-index --no-sparse-index --stdin --skip-checks -z -h",
                    operands="text",
                ),
            ),
        ),
        _command(
            names="config",
            reason="most settings make git run or reach something later",
            # `git_commands` knows which settings may be written. Behind the first operand there are no options:
            # `git config core.hooksPath --list` writes.
            options=f"-l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --add --replace-all --unset --unset-all {_CONFIG}",
            runs=_CONFIG_RUNS,
            operands="text",
            stops=True,
        ),
    ),
)

PROGRAMS = (GIT,)
