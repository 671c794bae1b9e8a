#!/bin/sh
# Make a virtual environment with pip in it: make-venv.sh PYTHON DIR
# Debian splits ensurepip off into python3-venv; where it is missing, install it or say how.
set -eu
python=$1 dir=$2

if ! command -v "$python" >/dev/null 2>&1; then
    echo "nacre needs Python 3.11 or newer: no '$python' found. Install it, or run: make PYTHON=/path/to/python3 ..." >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "nacre needs Python 3.11 or newer: '$python' is $("$python" -V). Run: make PYTHON=/path/to/python3.11 ..." >&2
    exit 1
fi
if ! "$python" -c 'import ensurepip' >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt-get -qq update && apt-get -qq -y install python3-venv >/dev/null
    else
        echo "'$python' cannot make virtual environments. On Debian and Ubuntu: sudo apt-get install python3-venv" >&2
        exit 1
    fi
fi
"$python" -m venv "$dir"
