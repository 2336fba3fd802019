# Everything runs in .venv, which is made on first use and brought up to date when pyproject.toml changes.
# Needs: make, Python 3.11 to 3.13, and a network for the first install.

VENV    := .venv
BIN     := $(VENV)/bin
# A test waits for its server or its browser a third of the time.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(os.cpu_count() * 3 // 2)')
TESTS   ?= tests
# Hundreds of processes load the same modules: their bytecode is kept, also where the environment says otherwise.
CACHED  := env -u PYTHONDONTWRITEBYTECODE -u PYTHONPYCACHEPREFIX
ARGS    ?=

# The first that runs, is of a version we support, and can make a virtual environment. Override: make PYTHON=...
PYTHON ?= $(shell for candidate in python3 python3.13 python3.12 python3.11; do \
	"$$candidate" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
		2>/dev/null && { echo "$$candidate"; break; }; done)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL: # two installs into one environment would step on each other
.PHONY: help install demo test check fmt fuzz mutants bench docs screenshots clean

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

install: $(VENV)/.installed-all ## make .venv with all that test and check need

demo: $(VENV)/.installed ## a simulated floor with its HTTP service, on an embedded PostgreSQL
	$(BIN)/roundledger demo $(ARGS)

# The tests of a module stay together, since they share a database, a service and a browser's page.
test: $(VENV)/.installed-test ## run the tests (TESTS=tests/rules ARGS=-x WORKERS=2)
	$(CACHED) $(BIN)/python -m pytest -n $(WORKERS) --dist loadscope --no-loadscope-reorder $(ARGS) $(TESTS)

check: $(VENV)/.installed-test $(VENV)/.installed-check ## lint, formatting, types and import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fmt: $(VENV)/.installed-check ## format the code and fix what can be fixed
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

fuzz: $(VENV)/.installed-test ## look for what the service answers against its own description (ARGS="--examples 200")
	$(BIN)/python -m tests.api.http.fuzz $(ARGS)

mutants: $(VENV)/.installed-test ## put faults into domain/ and see whether the tests notice (ARGS="--sample 20 --seed 2")
	$(BIN)/python -m tests.mutants $(ARGS)

bench: $(VENV)/.installed-test $(VENV)/.installed-bench ## measure, and fail where a required ratio is missed
	$(BIN)/python -m tests.benchmarks $(ARGS)

docs: $(VENV)/.installed-test ## check that the links between the documents hold
	$(BIN)/python -m pytest tests/test_docs.py

screenshots: $(VENV)/.installed-test ## take the pictures of the README from a running demo; needs Chromium
	$(BIN)/python -m tests.api.pages.screenshots

clean: ## remove .venv, caches and build output
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.created:
	$(if $(PYTHON),,$(error No Python 3.11 to 3.13 with venv was found; name one with make PYTHON=/path/to/python))
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.installed: pyproject.toml $(VENV)/.created
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# In one go, which takes less time than one after the other.
$(VENV)/.installed-all: pyproject.toml $(VENV)/.created
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,check]'
	@touch $(VENV)/.installed $(VENV)/.installed-test $(VENV)/.installed-check $@

# .installed-test holds the extra "test", and so on.
$(VENV)/.installed-%: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@
