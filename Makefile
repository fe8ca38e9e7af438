# make run    the console on this machine, with demo data; Ctrl-C stops it
# make test   every test, a real browser included
# make check  what continuous integration asks: static checks and tests
# make lock   write requirements/*.txt anew from pyproject.toml
# make soak   the long campaigns
# make bench-search DATA=path/to/locomo   how well strict search finds; about five minutes
# make bench-journey DATA=path/to/locomo   the main job on real data, and whether undo leaves every row as it was; three minutes
# make bench-scale  how long a search takes among 100,000 memories; four to five minutes
# make bench-pages  how long pages take among 100,000 memories, how heavy they are, how soon a browser answers; three minutes
# make bench-reflection-scale  what planning 100,000 memories and applying 500 candidates costs; five minutes
# make bench-reflection DATA=path/to/locomo   what summaries keep and what promote makes of facts; a quarter of an hour
# make pictures  the pictures of docs/pictures.md, taken anew; two minutes
# make clean  remove environment, database and caches: back to a fresh clone

.DEFAULT_GOAL := run
.PHONY: run test check static lock soak pictures clean browser command bench-search bench-journey bench-scale bench-pages bench-reflection bench-reflection-scale
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash

VENV := .venv
PY := $(VENV)/bin/python
# Any `pytest` arguments: make test ARGS="tests/console -k celery"
ARGS ?=

run: $(VENV)/.installed-run command
	@$(PY) manage.py up

test: $(VENV)/.installed-test command browser
	@$(PY) -m pytest $(ARGS)

soak: $(VENV)/.installed-test browser
	@$(PY) -m pytest -m soak $(ARGS)

check: static test

# No database is needed here: the server named below does not exist.
static: export SECRET_KEY = static-checks-only-static-checks-only-static-checks-only
static: export DATABASE_URL = postgresql://owner:none@127.0.0.1:9/none
static: export DATABASE_RUNTIME_URL = postgresql://app:none@127.0.0.1:9/none
static: export MEMORY_CONSOLE_HOME = $(CURDIR)/.local/static
static: $(VENV)/.installed-test
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(PY) -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	@$(PY) manage.py translations --check
	@$(PY) manage.py spectacular --validate --fail-on-warn --file /dev/null
	@MEMORY_CONSOLE_MODE=production ALLOWED_HOSTS=memory.example CONSOLE_URL=https://memory.example \
		$(PY) manage.py check --deploy --fail-level WARNING

# BENCH_HOME=folder keeps its database for another run; ARGS=--fit prints the weights of the score.
bench-search: $(VENV)/.installed-run
	@test -n "$(DATA)" || { echo "Say where the data is: make bench-search DATA=path/to/locomo"; exit 2; }
	@$(PY) bench/search.py "$(DATA)" $(ARGS)

bench-journey: $(VENV)/.installed-run
	@test -n "$(DATA)" || { echo "Say where the data is: make bench-journey DATA=path/to/locomo"; exit 2; }
	@$(PY) bench/journey.py "$(DATA)"

bench-scale: $(VENV)/.installed-run
	@$(PY) bench/scale.py

# BENCH_HOME=folder keeps its database for another run.
bench-pages: $(VENV)/.installed-test browser
	@$(PY) bench/pages.py

pictures: $(VENV)/.installed-test browser
	@$(PY) bench/pictures.py

bench-reflection-scale: $(VENV)/.installed-run
	@$(PY) bench/reflection_scale.py

# BENCH_HOME=folder keeps the vectors for another run.
bench-reflection: $(VENV)/.installed-bench
	@test -n "$(DATA)" || { echo "Say where the data is: make bench-reflection DATA=path/to/locomo"; exit 2; }
	@$(PY) bench/reflection.py "$(DATA)" $(ARGS)

lock: $(VENV)/.installed-test
	@for set in run test bench; do \
		extra=; [ $$set != run ] && extra="--extra $$set"; \
		$(VENV)/bin/uv pip compile pyproject.toml --python-version 3.11 --universal --generate-hashes --upgrade \
			--no-emit-index-url --no-header --quiet $$extra -o requirements/$$set.txt || exit 1; \
	done

clean:
	@if [ -x $(PY) ] && [ -d .local ]; then for home in .local .local/test; do \
		MEMORY_CONSOLE_HOME=$(CURDIR)/$$home $(PY) manage.py postgres stop >/dev/null 2>&1 || true; done; fi
	@rm -rf $(VENV) .local .pytest_cache .mypy_cache .ruff_cache .hypothesis test-results
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

browser:
	@.ci/browser

# .venv/bin/memory-console
command: | $(PY)
	@.ci/command $(VENV)

$(PY):
	@.ci/venv $(VENV)

# Each set is installed once and again when its lock file changes. The test and bench sets hold the run set.
$(VENV)/.installed-run: requirements/run.txt | $(PY)
	@echo "Installing what the console needs (once, about a minute) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --require-hashes -r $<
	@touch $@

$(VENV)/.installed-test: requirements/test.txt | $(PY)
	@echo "Installing what the tests need (once, about a minute) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --require-hashes -r $<
	@touch $@ $(VENV)/.installed-run

$(VENV)/.installed-bench: requirements/bench.txt | $(PY)
	@echo "Installing what the measurements need (once, about a minute) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --require-hashes -r $<
	@touch $@
