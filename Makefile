# make lab ARGS="--no-browser --port 9999" hands ARGS on to the command behind a target.
# make lab CPU=1 installs the small torch on Linux; it counts when the environment is built.
.DEFAULT_GOAL := help
.PHONY: help lab update clean

PYTHON ?= python3
ARGS ?=
CPU ?=

VENV_PYTHON := .venv/bin/python
INSTALLED := .venv/.installed
ALREADY := $(wildcard $(INSTALLED))

# What `make` alone prints: each target with the words behind its ##.
help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1  \2/p' Makefile | \
	    while read -r make target words; do printf 'make %-15s %s\n' "$$target" "$$words"; done
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
	@$(VENV_PYTHON) -m course_lib.startup
	@touch $@

lab: $(INSTALLED) ## open your own copies of the lessons in JupyterLab
	@$(if $(and $(CPU),$(ALREADY)),$(VENV_PYTHON) -m publish.install --cpu;) exec $(VENV_PYTHON) -m publish.lab $(ARGS)

update: $(INSTALLED) ## bring new lessons into your copies, and keep your work
	@$(VENV_PYTHON) -m publish.update $(ARGS)

clean: ## remove .venv and caches
	rm -rf .venv .venv-nbgrader .pytest_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks build *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
	find . -path ./my_notebooks -prune -o -name .ipynb_checkpoints -prune -exec rm -rf {} +

# ---- The student edition ends here: what follows is for those who teach with the course or write it.
.PHONY: edit test golden test-walks test-browser bench matrix refresh model study site site-serve site-pictures test-site handouts slides plans student report assignment hub load test-hub chart-check image

FOLDER ?= submitted/
CHART ?= jupyterhub
LEARNERS ?= 5
LESSON ?=
TEACHERS ?=

TESTED := .venv/.installed-test
SITED := .venv/.installed-site

$(TESTED): $(INSTALLED) requirements-test.txt
	@$(VENV_PYTHON) -m publish.install requirements-test.txt
	@touch $@

$(SITED): $(INSTALLED) requirements-site.txt
	@$(VENV_PYTHON) -m publish.install requirements-site.txt
	@touch $@

edit: $(INSTALLED) ## open the published notebooks, for those who write lessons
	@exec $(VENV_PYTHON) -m publish.lab --published $(ARGS)

# COMPARE_PNG=1 compares the pictures in the notebooks too, pixel by pixel; see conftest.py.
test: $(TESTED) ## check style, run the unit tests and every notebook
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m pytest $(ARGS)

# What every check says of some 2,600 answers is kept in tests/golden/verdicts; ARGS="--help" tells more.
golden: $(TESTED) ## write anew what every check says, and show what changed; ARGS=--compare compares
	@$(VENV_PYTHON) -m tests.golden.run $(ARGS)

# Each walk begins in an empty folder.
test-walks: $(TESTED) ## type every command of README.md and the handbook as somebody would (needs chromium, git, a network)
	$(VENV_PYTHON) -m pytest --numprocesses=2 --dist=loadfile tests/walks $(ARGS)

test-browser: $(TESTED) ## run the browser tests (needs chromium)
	$(VENV_PYTHON) -m pytest --numprocesses=auto --maxprocesses=2 --dist=load tests/browser $(ARGS)

# The pages are built first, for their sliders are measured, too.
bench: $(TESTED) $(SITED) ## measure speed
	$(VENV_PYTHON) -m publish.site
	$(VENV_PYTHON) -m pytest --numprocesses=0 --dist=no --capture=no tests/benchmarks $(ARGS)

# Processors and numbers of threads that learners may have, imitated: every notebook must show the same on each.
matrix: $(TESTED) ## run every notebook on imitated processors
	@for threads in 1 2; do for capability in default avx2; do \
	    echo "OMP_NUM_THREADS=$$threads ATEN_CPU_CAPABILITY=$$capability"; \
	    COMPARE_PNG=1 OMP_NUM_THREADS=$$threads ATEN_CPU_CAPABILITY=$$capability \
	        $(VENV_PYTHON) -m pytest notebooks $(ARGS) || exit 1; done; done

refresh: $(INSTALLED) ## run every notebook and store its outputs
	$(VENV_PYTHON) -m publish.refresh $(ARGS)
	$(VENV_PYTHON) -m classroom.plans

plans: $(INSTALLED) ## write the teacher's pages (classroom/plans)
	$(VENV_PYTHON) -m classroom.plans

student: $(INSTALLED) ## pack the course for learners, without solutions
	@$(VENV_PYTHON) -m classroom.edition $(ARGS)

assignment: $(INSTALLED) ## write the exercises as assignments for nbgrader
	@$(VENV_PYTHON) -m classroom.assignment $(ARGS)

# The class server; configurable-http-proxy comes from npm, see classroom/README.md.
.venv/.installed-hub: $(INSTALLED) requirements-hub.txt constraints-classroom.txt
	@$(VENV_PYTHON) -m pip install --quiet --requirement requirements-hub.txt
	@touch $@

# The proxy that is on the PATH, else one of its own, where there is npm.
PROXY := $(or $(shell command -v configurable-http-proxy),build/proxy/node_modules/.bin/configurable-http-proxy)
WITH_PROXY = COURSE_HUB_PROXY="$$(realpath $(PROXY) 2>/dev/null || echo configurable-http-proxy)"

build/proxy/node_modules/.bin/configurable-http-proxy:
	npm install --silent --no-fund --no-audit --prefix build/proxy configurable-http-proxy@5.3.0

hub: .venv/.installed-hub $(if $(shell command -v npm),$(PROXY)) ## start the class server
	@$(WITH_PROXY) exec $(VENV_PYTHON) -m classroom.server.start $(ARGS)

load: .venv/.installed-hub $(if $(shell command -v npm),$(PROXY)) ## rehearse a class on it: LEARNERS=5
	@$(WITH_PROXY) $(VENV_PYTHON) -m classroom.server.load --learners $(LEARNERS) $(ARGS)

test-hub: $(TESTED) .venv/.installed-hub $(PROXY) ## test it (needs root and npm)
	$(WITH_PROXY) $(VENV_PYTHON) -m pytest --numprocesses=0 --dist=no tests/classroom/server $(ARGS)

chart-check: $(INSTALLED) ## check the values for a cluster: CHART=folder of the chart
	@$(VENV_PYTHON) -m classroom.server.chart_check "$(CHART)"

# By hand: it needs buildah, podman or docker, and registries. ARGS="--debian --wheels FOLDER" does without one of images.
image: $(INSTALLED) ## build the image for a cluster
	@$(VENV_PYTHON) -m classroom.server.image $(ARGS)

report: $(INSTALLED) ## tell what a class thinks, from what it handed in: FOLDER=submitted/
	@$(VENV_PYTHON) -m classroom.report "$(FOLDER)" $(ARGS)

# Goes on where it was interrupted; `rm -r build/language_model` begins anew. It writes course_lib/model/language_model.*.
model: $(INSTALLED) ## train the language model of lesson 10 again (about half an hour)
	$(VENV_PYTHON) -m publish.language_model $(ARGS)

# Goes on where it was interrupted; `rm -r build/study` begins anew. It writes course_lib/model/language_model_study.json.
study: $(INSTALLED) ## measure again what an FFN buys, for lesson 10 (about 40 minutes)
	$(VENV_PYTHON) -m publish.language_model.study $(ARGS)

# SITE_URL=https://… adds what needs the address of the site; REPOSITORY_URL=https://… links the source.
# TEACHERS=1 adds the teacher's pages, which hold every answer: not for learners.
site: $(SITED) ## build the course as web pages in build/site, for a browser alone; TEACHERS=1 adds the answers
	$(VENV_PYTHON) -m publish.site $(if $(filter-out 0,$(TEACHERS)),--teachers) $(ARGS)

site-serve: site ## build them and show them on this computer
	@echo 'http://127.0.0.1:8000/ (stop with Ctrl+C)'
	@exec $(VENV_PYTHON) -m http.server --bind 127.0.0.1 --directory build/site 8000

site-pictures: $(TESTED) site ## take the pictures of them in the README (needs chromium)
	$(VENV_PYTHON) -m publish.site.pictures

# ARGS='-m "not thorough"' leaves out what takes long: the notebooks run again, and the slides of every lesson.
test-site: .venv/.installed-slides $(TESTED) ## test them (needs chromium)
	$(VENV_PYTHON) -m pytest --numprocesses=auto --maxprocesses=2 --dist=load tests/site $(ARGS)

handouts: site ## print each lesson to a PDF in build/handouts (needs chromium)
	$(VENV_PYTHON) -m publish.site.handouts

.venv/.installed-slides: $(SITED) requirements-slides.txt
	@$(VENV_PYTHON) -m pip install --quiet --no-deps --requirement requirements-slides.txt
	@touch $@

slides: .venv/.installed-slides ## write lessons as slides: LESSON=05, or all
	@$(VENV_PYTHON) -m publish.site.slides $(LESSON)
