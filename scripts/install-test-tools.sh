#!/bin/sh
# The programs that the tests run for real and that pip cannot bring. Silent when all are there.
set -eu
need=""
want() { command -v "$1" >/dev/null 2>&1 || need="$need $2"; }
want bash bash
want dash dash
want busybox busybox
want zsh zsh
want ksh ksh93u+m
want mksh mksh
want yash yash
want fish fish
want elvish elvish
want ps procps
want git git
want vim vim
want less less
want top procps
want bwrap bubblewrap
want node nodejs
want npm npm
want groff groff-base
want chromium chromium
want tmux tmux
if [ -z "$need" ]; then
    :
elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    # shellcheck disable=SC2086  # a list of package names
    apt-get -qq update && apt-get -qq -y install --no-install-recommends $need >/dev/null
else
    echo "The tests want these Debian packages, and only root can install them:$need" >&2
fi
sh "$(dirname "$0")/install-test-clients.sh"
