#!/bin/sh
# Clients of other makers for tests/clients, into .clients: npm's Inspector and TypeScript SDK, and SDK 1 for
# Python in a virtual environment of its own. Silent and quick when they are there. It needs node 18 and npm,
# which install-test-tools.sh brings.
set -eu
cd "$(dirname "$0")/.."
here=tests/clients there=.clients

if ! command -v npm >/dev/null 2>&1; then
    echo "Without npm the clients from there cannot be installed, and tests/clients cannot run." >&2
elif ! cmp -s "$here/package-lock.json" "$there/node.stamp"; then
    echo "Installing the clients from npm into $there ..."
    rm -rf "$there/node" "$there/node.stamp"
    mkdir -p "$there/node"
    cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$there/node"
    (cd "$there/node" && npm ci --ignore-scripts --silent)
    cp "$here/package-lock.json" "$there/node.stamp"
fi
if ! cmp -s "$here/requirements-v1.lock" "$there/v1.stamp"; then
    echo "Installing SDK 1 into $there ..."
    rm -rf "$there/v1" "$there/v1.stamp"
    mkdir -p "$there"
    sh scripts/make-venv.sh "${PYTHON:-python3}" "$there/v1"
    "$there/v1/bin/python" -m pip --disable-pip-version-check --quiet install \
        --require-hashes --no-deps -r "$here/requirements-v1.lock"
    cp "$here/requirements-v1.lock" "$there/v1.stamp"
fi
