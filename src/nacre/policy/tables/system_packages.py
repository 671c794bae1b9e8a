# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Programs that install packages of the system: what each has for looking, and for what is done every day.

Above: `tables` finds a program's entry by its name. Below: `schema`. A rule for them means packages of the
repositories that the machine is set up for, by their names.
"""

from __future__ import annotations

from dataclasses import replace

from nacre.policy.tables.schema import Program


def _without(options: str, left_out: str) -> str:
    """A list of options without those that another program of the family reads differently."""
    return " ".join(option for option in options.split() if option not in left_out.split())


def _apt_commands(names: str) -> Program:
    return Program(
        names=names,
        operands="text",
        reason="packages of files and directories run scripts",
        refuses=r".*/|\.",
    )


_APT_DOWNLOAD = Program(
    names="download",
    operands="text",
    reason="a package is put into the working directory",
    refuses=r".*/|\.",
    only_with="--print-uris",
    options="--print-uris",
)

_APT = Program(
    names="apt",
    reason="-o and -c change what runs; local packages run scripts",
    options="-h -v -q -y -s -d -f -m -u -V -a -n -i -t= --help --version --quiet --yes --assume-yes --assume-no --simulate --dry-run --just-print --no-act --download-only --fix-broken --fix-missing --show-upgraded --verbose-versions --no-install-recommends --install-recommends --install-suggests --no-upgrade --only-upgrade --reinstall --allow-downgrades --auto-remove --autoremove --purge --target-release= --all-versions --installed --upgradable --upgradeable --names-only --full --no-all-versions --recurse --important --show-progress --no-show-upgraded",
    runs="-o= --option= -c= --config-file= --host-architecture= --allow-unauthenticated --force-yes --allow-insecure-repositories --trivial-only",
    persistent=True,
    plain_values=True,
    spelled="edit-sources build-dep source satisfy changelog dselect-upgrade",
    commands=(
        _apt_commands(
            "list search show install reinstall remove purge autoremove auto-remove autopurge update upgrade full-upgrade dist-upgrade policy depends rdepends showsrc clean autoclean"
        ),
        _APT_DOWNLOAD,
    ),
)

# Programs that install packages: what each has for looking, and for what is done every day with packages of its repositories.
_PACKAGES_OF_FILES = r".*(?:/|\.rpm\Z|\.apk\Z|\.snap\Z|\.flatpak(?:ref)?\Z|\.rb\Z)"


def _packages(names: str, options: str, commands: str, *, spelled: str, runs: str) -> Program:
    return Program(
        names=names,
        reason="options name other roots, and some sub-commands run programs",
        options=f"-h -v -q --help --version --quiet --verbose {options}",
        spelled=spelled,
        runs=runs,
        persistent=True,
        plain_values=True,
        commands=(
            Program(
                names=commands,
                operands="text",
                reason="packages of files, and of others' repositories, run scripts",
                refuses=_PACKAGES_OF_FILES,
            ),
        ),
    )


_BREW = _packages(
    "brew",
    "-y -n --json? --installed --formula --cask --versions --all",
    "install uninstall remove rm reinstall upgrade update up outdated list ls info search deps uses leaves doctor desc missing pin unpin link unlink cleanup autoremove",
    spelled="sh edit tap bundle ruby irb alias create test debug exec",
    runs="-s -i --interactive --git -g --env= --cc= --HEAD --build-from-source -c= --config=",
)

# Yes and no, and what it is called: the rest differs between the two generations of dnf.
_DNF = _packages(
    "dnf yum",
    "-y --assumeyes --installed --all",
    "install remove erase reinstall upgrade update downgrade autoremove check-update list info search provides whatprovides repolist makecache clean deplist repoquery",
    spelled="shell builddep copr config-manager history",
    runs="--root= --installroot= -c= --config= --repo= --setopt= --nogpgcheck",
)

_APK = _packages(
    "apk",
    "-s -U --installed --upgradable --all --no-cache --update --no-interactive --simulate",
    "add del update upgrade fix info list search policy version stats",
    spelled="fetch mkndx index",
    runs="-p= --root= --allow-untrusted -X= --repository= --repositories-file= --keys-dir= --cache-dir=",
)

PROGRAMS = (
    _APT,
    # What takes no value there takes one here: -a and -P say for what is built, -f and -s name files that are written.
    replace(
        _APT,
        names="apt-get",
        options=_without(_APT.options, "-a -i -n"),
        commands=(
            _apt_commands(
                "install reinstall remove purge autoremove auto-remove autopurge update upgrade dist-upgrade full-upgrade clean autoclean check"
            ),
            _APT_DOWNLOAD,
        ),
    ),
    replace(
        _APT,
        names="apt-cache",
        options=_without(_APT.options, "-s -d -m -y -V -u"),
        commands=(
            _apt_commands(
                "show showpkg showsrc search policy depends rdepends madison pkgnames stats dump dumpavail unmet"
            ),
        ),
    ),
    replace(
        _APT,
        names="apt-mark",
        options=_without(_APT.options, "-f -a -d -m -u -V -n -i -t="),
        commands=(_apt_commands("showauto showmanual showhold auto manual hold unhold"),),
    ),
    Program(
        names="apt-file",
        reason="-o and -c change what runs",
        options="-h -v -i -l -x -F -a= -I= --help --version --verbose --ignore-case --package-only --regexp --fixed-string --substring-match --architecture= --index-names=",
        runs="-o= --option= -c= --config=",
        reads="-D --from-deb -f --from-file",
        persistent=True,
        plain_values=True,
        commands=(Program(names="search find list show", operands="maybe"),),
    ),
    replace(
        _APT,
        names="aptitude",
        options=_without(_APT.options, "-a -i -n -u -m -p"),
        commands=(
            _apt_commands(
                "search show versions why why-not install reinstall remove purge update safe-upgrade full-upgrade hold unhold clean autoclean"
            ),
        ),
    ),
    Program(
        names="dpkg dpkg-query",
        plain_values=True,
        reason="packages run scripts, options name other roots and programs",
        style="words",
        options="-l -L -s -S -p -W -h --list --listfiles --status --search --print-avail --show --get-selections --print-architecture --print-foreign-architectures --compare-versions --verify -V --audit -C --help --version -f= --showformat= --no-pager",
        # A file that is looked into.
        reads="-I= --info= -c= --contents=",
        pattern=r"--showformat=.*|-f=.*",
        runs="-i --install --unpack --configure -r --remove -P --purge --root= --admindir= --instdir= --pre-invoke= --post-invoke= -x --extract -X -e --control -b --build --force-all -D=",
        operands="text",
    ),
    _packages(
        "snap",
        "--all --json?",
        "list find search info install remove refresh changes connections version",
        spelled="run try alias debug",
        runs="--root= --dangerous --devmode --jailmode",
    ),
    _packages(
        "flatpak",
        "-y --assumeyes --all --app --runtime --user --system --columns=",
        "list info search remotes install uninstall remove update history",
        spelled="run build enter config override",
        runs="--root= --installation= --from --bundle",
    ),
    replace(
        _DNF,
        commands=(
            # What owns a file.
            Program(names="provides whatprovides", operands="text"),
            *_DNF.commands,
        ),
    ),
    _packages(
        "zypper",
        "-n -y --non-interactive",
        "install in remove rm update up dup refresh ref search se info if list-updates lu repos lr patches",
        spelled="shell sh source-install si addrepo ar",
        runs="-R= --root= --installroot= -c= --config= -p= --plus-repo= -D= --reposd-dir= --no-gpg-checks",
    ),
    replace(
        _APK,
        commands=(
            replace(_APK.commands[0], names="info", options="-a -d -e -L -P -r -R -s -t -w -W -Z"),
            replace(_APK.commands[0], names="add", options="-l -t= -u --latest --upgrade --virtual="),
            *_APK.commands,
        ),
    ),
    # -s builds a package from its source, and -i starts a shell in the middle of it. A name that it does not know is
    # a program: `brew foo` runs brew-foo.
    replace(
        _BREW,
        commands=(
            *_BREW.commands,
            Program(
                names="services",
                reason="services are programs that run from then on",
                spelled="run start restart stop kill cleanup",
                commands=(Program(names="list ls info i", operands="text"),),
            ),
        ),
    ),
    # What is given behind the name of a package sets what its description says, commands too.
    Program(
        names="port",
        reason="options name other roots, and descriptions of ports are programs",
        options="-v -q -n",
        runs="-D= -F= -s -d -p",
        plain_values=True,
        spelled="edit cd dir work exec shell",
        commands=(
            Program(
                names="install uninstall upgrade installed outdated list search",
                operands="text",
                stops=True,
                plain_values=True,
                reason="settings of a description are commands",
                refuses=rf".*=|{_PACKAGES_OF_FILES}",
            ),
        ),
    ),
    Program(
        names="pacman",
        reason="options name other roots; packages of files run scripts",
        options="-h -V -S -R -Q -F -y -u -s -i -l -q -n -c -k -o -m -t -e -d -w --help --version --noconfirm --needed --quiet --info --list --search --sync --query --remove --refresh --sysupgrade --explicit --deps --native --foreign --unrequired --recursive --nosave --cascade --check --owns --print --asdeps --asexplicit --color=",
        runs="-U -r= -b= -D -T --upgrade --root= --dbpath= --cachedir= --config= --hookdir= --gpgdir= --logfile= --sysroot= --overwrite= --print-format= --arch=",
        operands="text",
        refuses=r".*(?:://|\.pkg\.tar)",
    ),
)
