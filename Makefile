# make lab ARGS="--no-browser --port 9999" hands ARGS on to the command behind a target.
.DEFAULT_GOAL := help
.PHONY: help lab test test-browser bench matrix refresh clean

PYTHON ?= python3
ARGS ?=

VENV_PYTHON := .venv/bin/python
INSTALLED := .venv/.installed

help:
	@echo 'make lab           open the course in JupyterLab'
	@echo 'make test          check style, run the unit tests and every notebook'
	@echo 'make test-browser  run the browser tests (needs chromium)'
	@echo 'make bench         measure speed'
	@echo 'make matrix        run every notebook on imitated processors'
	@echo 'make refresh       run every notebook and store its outputs'
	@echo 'make clean         remove .venv and caches'
	@echo
	@echo 'Each builds .venv when it is missing. PYTHON=python3.12 chooses the Python that builds it;'
	@echo 'ARGS="..." adds arguments to the command.'

$(INSTALLED): requirements.txt constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo 'The course needs Python 3.11 or newer, and "$(PYTHON)" is not. Name another: make PYTHON=python3.12 ...' >&2; \
	    exit 1; }
	$(PYTHON) -m venv .venv
	$(VENV_PYTHON) -m pip install --disable-pip-version-check --requirement requirements.txt
	@touch $@

# The server asks nothing of the network: no update check, no news, no extension catalogue.
# The settings folder is the course's own, so the learner's settings stay as they are.
lab: $(INSTALLED)
	@root=; if [ "$$(id -u)" = 0 ]; then \
	    echo 'You are root, so JupyterLab is started with --allow-root.'; root=--allow-root; fi; \
	exec $(VENV_PYTHON) -m jupyterlab $$root --ServerApp.root_dir=. \
	    --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate --LabApp.news_url=None \
	    --LabApp.extension_manager=readonly --LabApp.app_settings_dir="$$PWD/config/jupyterlab" \
	    --LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb $(ARGS)

# COMPARE_PNG=1 compares the pictures in the notebooks too, pixel by pixel; see conftest.py.
test: $(INSTALLED)
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m pytest $(ARGS)

test-browser: $(INSTALLED)
	$(VENV_PYTHON) -m pytest --numprocesses=auto --maxprocesses=2 --dist=load tests/browser $(ARGS)

bench: $(INSTALLED)
	$(VENV_PYTHON) -m pytest --numprocesses=0 --dist=no --capture=no tests/benchmarks tests/browser/bench_sliders.py $(ARGS)

# Processors and numbers of threads that learners may have, imitated: every notebook must show the same on each.
matrix: $(INSTALLED)
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
