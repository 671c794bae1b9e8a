#!/bin/sh
# The tools of others that make and check packages and workflows, from npm into .clients/packages: `mcpb` of
# the MCP bundles, and GitHub's own reader of workflows. Silent and quick when they are there.
set -eu
cd "$(dirname "$0")/.."
here=packages there=.clients/packages

if ! command -v npm >/dev/null 2>&1; then
    echo "Without npm the tools that check bundles and workflows cannot be installed." >&2
elif ! cmp -s "$here/package-lock.json" "$there/stamp"; then
    echo "Installing the tools for packages from npm into $there ..."
    rm -rf "$there"
    mkdir -p "$there"
    cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$there"
    (cd "$there" && npm ci --ignore-scripts --silent)
    cp "$here/package-lock.json" "$there/stamp"
fi
