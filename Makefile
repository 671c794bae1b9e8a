# Every task of the project. `make help` lists them.
# A fresh Debian machine with python3 and make is enough: each target installs what it needs.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Test files that run side by side. Tests do not depend on time, so that more than one is safe.
WORKERS ?= 2
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet install
DIST_PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --python dist/environment/bin/python install

# This environment variable keeps CPython from caching byte code, which would slow every start of the server.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-windows test-container wheels packages bundle docs lint types fmt bench conformance soak clean

help: ## what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Debian's python3 comes without ensurepip; the script adds python3-venv where it may.
$(BIN)/python:
	@sh scripts/make-venv.sh "$(PYTHON)" "$(VENV)"

$(VENV)/run.stamp: $(BIN)/python requirements.lock pyproject.toml
	@echo "Installing the server into $(VENV) ..."
	@$(PIP) --require-hashes --no-deps -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.lock
	@echo "Installing the test tools into $(VENV) ..."
	@$(PIP) --require-hashes --no-deps -r requirements-dev.lock
	@touch $@

$(VENV)/release.stamp: $(VENV)/dev.stamp requirements-release.lock
	@echo "Installing what makes packages and documentation into $(VENV) ..."
	@$(PIP) --require-hashes --no-deps -r requirements-release.lock
	@touch $@

demo: $(VENV)/run.stamp ## see the server at work: a real client, real commands, a readable transcript
	@$(BIN)/python demo/demo.py

test: $(VENV)/release.stamp ## install what the tests need and run them
	@PYTHON="$(PYTHON)" sh scripts/install-test-tools.sh
	@sh scripts/install-package-tools.sh
	@$(BIN)/python scripts/windows/set_up.py --wine-only
	@$(BIN)/python -m pytest -m "not soak" -n $(WORKERS) --dist loadfile --ignore tests/windows --ignore tests/container

test-windows: $(VENV)/dev.stamp ## the server as a Windows program, under wine (installs wine, needs root for that)
	@$(BIN)/python scripts/windows/set_up.py
	@$(BIN)/python -m pytest tests/windows

test-container: $(VENV)/dev.stamp wheels/requirements.stamp ## the server in a container, with podman (installs it, needs root for that)
	@$(BIN)/python scripts/container/set_up.py
	@$(BIN)/python -m pytest tests/container

wheels: wheels/requirements.stamp ## what an image needs of PyPI, for a build without network

wheels/requirements.stamp: $(BIN)/python requirements.lock requirements-image.lock
	@rm -rf wheels
	@$(BIN)/python -m pip --disable-pip-version-check --quiet download --dest wheels --require-hashes --no-deps \
		--only-binary :all: --python-version 3.11 -r requirements.lock -r requirements-image.lock
	@touch $@

packages: dist/packages.stamp ## wheel, source distribution and bill of materials, into dist/

dist/packages.stamp: $(VENV)/release.stamp packages/nacre.1 $(shell find src -name '*.py' -o -name '*.toml')
	@rm -rf dist
	@$(BIN)/hatchling build -d dist
	@$(BIN)/python -m venv --without-pip dist/environment
	@$(DIST_PIP) --require-hashes --no-deps -r requirements.lock
	@$(DIST_PIP) --no-deps dist/*.whl
	@$(BIN)/python scripts/make_sbom.py dist/environment/bin/python dist/nacre.cdx.json
	@rm -rf dist/environment
	@touch $@

bundle: $(VENV)/dev.stamp ## the MCP bundle for desktop clients, dist/nacre.mcpb
	@sh scripts/install-package-tools.sh
	@mkdir -p dist
	@$(BIN)/python scripts/make_bundle.py dist/nacre.mcpb

docs: $(VENV)/release.stamp ## the documentation site, into site/
	@$(BIN)/python scripts/build_docs.py
	@echo "Open site/index.html"

lint: $(VENV)/dev.stamp ## ruff: style and format
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/release.stamp ## pyright, strict
	@$(BIN)/pyright --warnings

fmt: $(VENV)/dev.stamp ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix --exit-zero --quiet .

bench: $(VENV)/run.stamp ## measure against floors and peers in one run (ARGS=--quick: two minutes; see bench/README.md)
	@$(BIN)/python -m bench $(ARGS)

conformance: $(VENV)/dev.stamp ## run the official conformance suite and write docs/conformance.md
	@sh scripts/install-test-tools.sh
	@$(BIN)/python tests/clients/conformance.py

soak: $(VENV)/release.stamp ## the long runs: leaks, floods, fuzzing
	@$(BIN)/python -m pytest -m soak

clean: ## remove everything that make made
	@rm -rf $(VENV) .clients .windows .container wheels .bench dist site .pytest_cache .ruff_cache .hypothesis
