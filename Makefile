# make lab ARGS="--no-browser --port 9999" hands ARGS on to the command behind a target.
.DEFAULT_GOAL := help
.PHONY: help lab update

PYTHON ?= python3
ARGS ?=

# `make` alone prints each target with the words after its ##.
help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1  \2/p' Makefile | \
	    while read -r make target words; do printf 'make %-12s %s\n' "$$target" "$$words"; done
	@echo 'PYTHON=python3.12 chooses the Python that builds .venv; ARGS="..." adds arguments to the command.'

lab: ## open your own copies of the lessons in JupyterLab
	@exec $(PYTHON) start.py lab $(ARGS)

update: ## bring new lessons into your copies and keep your work
	@exec $(PYTHON) start.py update $(ARGS)

# ---- The student edition ends here: what follows is for people who teach with the course or write it.
.PHONY: pages test test-walks golden bench refresh site handouts plans student release report hub

FOLDER ?= submitted/
LESSON ?=
TEACHERS ?=
SOLUTIONS ?=

# The Python of .venv, after start.py has installed the parts named.
in = @$(PYTHON) start.py install $(1) && exec .venv/bin/python

pages: ## build the web pages where they are missing, and open them
	@exec $(PYTHON) start.py pages $(ARGS)

test: ## check the style, run the unit tests and every notebook
	@exec $(PYTHON) start.py test $(ARGS)

test-walks: ## type commands of README.md and the handbook as a reader would (needs chromium, git, npm, a network)
	$(call in,test) -m pytest --numprocesses=2 tests/walks $(ARGS)

golden: ## store what every check says and show what changed; ARGS=--compare only compares
	$(call in,test) -m tests.golden.run $(ARGS)

bench: site ## measure speed, of the web pages too
	$(call in,test model) -m pytest --numprocesses=0 --dist=no --capture=no tests/benchmarks $(ARGS)

refresh: ## run every notebook and store its outputs
	$(call in,model) -m publish.author.refresh $(ARGS)

site: $(if $(filter-out 0,$(TEACHERS)),plans) ## build the course as web pages in build/site (needs npm once, to run code in them); TEACHERS=1 adds the answers, SOLUTIONS=0 leaves out solutions
	$(call in,site) -m publish.site $(if $(filter-out 0,$(TEACHERS)),--teachers) $(if $(filter 0,$(SOLUTIONS)),--without-solutions) $(ARGS)

handouts: site ## print each lesson, its results and a worksheet to PDFs in build/handouts (needs chromium); LESSON=05 for one, PAPER=letter instead of A4
	$(call in,site) -m publish.site.handouts $(if $(PAPER),--paper $(PAPER)) $(LESSON)

plans: ## write the teacher's page of each lesson to build/plans, and the quizzes for Moodle to build/quiz_gift.txt
	$(call in) -m classroom.plans

student: ## pack the course for learners, without solutions
	$(call in) -m classroom.edition $(ARGS)

release: ## pack a version into dist: pages, student edition, teachers' zip file, whywrong, licences, checksums (needs npm once, chromium)
	$(call in,test site) -m publish.release

report: ## report what a class thinks and give points, from what it handed in: FOLDER=submitted/
	$(call in) -m classroom.report "$(FOLDER)" $(ARGS)

hub: ## start the class server (needs npm once)
	$(call in,hub) -m classroom.server.start $(ARGS)
