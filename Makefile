# make lab ARGS="--no-browser --port 9999" hands ARGS on to the command behind a target.
# make lab CPU=1 installs the small torch on Linux; it counts when the environment is built.
.DEFAULT_GOAL := help
.PHONY: help lab update edit test test-browser bench matrix refresh clean

PYTHON ?= python3
ARGS ?=
CPU ?=

VENV_PYTHON := .venv/bin/python
INSTALLED := .venv/.installed
TESTED := .venv/.installed-test
ALREADY := $(wildcard $(INSTALLED))

help:
	@echo 'make lab           open your own copies of the lessons in JupyterLab'
	@echo 'make update        bring new lessons into your copies, and keep your work'
	@echo 'make test          check style, run the unit tests and every notebook'
	@echo 'make test-browser  run the browser tests (needs chromium)'
	@echo 'make bench         measure speed'
	@echo 'make matrix        run every notebook on imitated processors'
	@echo 'make edit          open the published notebooks, for those who write lessons'
	@echo 'make refresh       run every notebook and store its outputs'
	@echo 'make clean         remove .venv and caches'
	@echo
	@echo 'Each builds .venv when it is missing. PYTHON=python3.12 chooses the Python that builds it;'
	@echo 'ARGS="..." adds arguments to the command. CPU=1 chooses the small torch on Linux.'

$(INSTALLED): requirements.txt constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo 'The course needs Python 3.11 or newer, and "$(PYTHON)" is not. Name another: make PYTHON=python3.12 ...' >&2; \
	    exit 1; }
	@echo 'Preparing .venv, a Python environment for the course alone ...'
	@$(PYTHON) -m venv .venv
	@$(VENV_PYTHON) -m publish.install $(if $(CPU),--cpu) requirements.txt
	@touch $@

$(TESTED): $(INSTALLED) requirements-test.txt
	@$(VENV_PYTHON) -m publish.install requirements-test.txt
	@touch $@

lab: $(INSTALLED)
	@$(if $(and $(CPU),$(ALREADY)),$(VENV_PYTHON) -m publish.install --cpu;) exec $(VENV_PYTHON) -m publish.lab $(ARGS)

edit: $(INSTALLED)
	@exec $(VENV_PYTHON) -m publish.lab --published $(ARGS)

update: $(INSTALLED)
	@$(VENV_PYTHON) -m publish.update $(ARGS)

# COMPARE_PNG=1 compares the pictures in the notebooks too, pixel by pixel; see conftest.py.
test: $(TESTED)
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m pytest $(ARGS)

test-browser: $(TESTED)
	$(VENV_PYTHON) -m pytest --numprocesses=auto --maxprocesses=2 --dist=load tests/browser $(ARGS)

bench: $(TESTED)
	$(VENV_PYTHON) -m pytest --numprocesses=0 --dist=no --capture=no tests/benchmarks $(ARGS)

# Processors and numbers of threads that learners may have, imitated: every notebook must show the same on each.
matrix: $(TESTED)
	@for threads in 1 2; do for capability in default avx2; do \
	    echo "OMP_NUM_THREADS=$$threads ATEN_CPU_CAPABILITY=$$capability"; \
	    COMPARE_PNG=1 OMP_NUM_THREADS=$$threads ATEN_CPU_CAPABILITY=$$capability \
	        $(VENV_PYTHON) -m pytest notebooks $(ARGS) || exit 1; done; done

refresh: $(INSTALLED)
	$(VENV_PYTHON) -m publish.refresh $(ARGS)

clean:
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .benchmarks build *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
	find . -name .ipynb_checkpoints -prune -exec rm -rf {} +
