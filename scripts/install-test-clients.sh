#!/bin/sh
# Clients of other makers for tests/clients, into .clients. From npm: Claude Code, Codex, Gemini CLI, the
# Inspector, the TypeScript SDK and the conformance suite. From PyPI, in a virtual environment of its own:
# version 1 of the Python SDK, and a Node as new as some of the others want. Silent and quick when they are
# there. It needs node 18 and npm, which install-test-tools.sh brings.
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
    # Some packages ask for a newer Node than npm runs on; they are run with the one from PyPI.
    (cd "$there/node" && npm ci --ignore-scripts --silent)
    cp "$here/package-lock.json" "$there/node.stamp"
fi
if ! cmp -s "$here/requirements.lock" "$there/python.stamp"; then
    echo "Installing the clients from PyPI into $there ..."
    rm -rf "$there/python" "$there/python.stamp" "$there/v1" "$there/v1.stamp"
    mkdir -p "$there"
    sh scripts/make-venv.sh "${PYTHON:-python3}" "$there/python"
    "$there/python/bin/python" -m pip --disable-pip-version-check --quiet install \
        --require-hashes --no-deps -r "$here/requirements.lock"
    cp "$here/requirements.lock" "$there/python.stamp"
fi
