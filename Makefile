.DEFAULT_GOAL := help
BIN := .venv/bin

.PHONY: help setup run demo test unit check format bench constraints

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

setup: ## make .venv and install everything into it
	python3 -m venv .venv
	$(BIN)/pip install -q -e '.[dev]' -c constraints.txt

# With the checkout on PYTHONPATH, Streamlit also reloads core/ when it is edited.
run: ## open the dashboard; edits are picked up while it runs
	PYTHONPATH=. $(BIN)/streamlit run dashboard/app.py

demo: ## load the demo runs into the default store
	$(BIN)/ragtriage demo

test: ## all tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

unit: ## the tests that need neither a browser nor the real runs
	$(BIN)/python -m pytest -m 'not browser and not shared_data'

check: ## linter, format, types, import contracts: what CI checks besides the tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: ## format the code and sort its imports
	$(BIN)/ruff check --select I --fix
	$(BIN)/ruff format

bench: ## measure speed and memory; prints figures, asserts none
	@for script in tests/bench/bench_*.py; do echo "== $$script"; $(BIN)/python $$script; done

constraints: ## resolve constraints.txt anew in a throw-away environment
	@set -e; new=$$(mktemp -d); trap 'rm -rf "$$new"' EXIT; \
	python3 -m venv "$$new/venv"; \
	"$$new/venv/bin/pip" install -q -e '.[dev]'; \
	{ head -n 1 constraints.txt; "$$new/venv/bin/pip" freeze --exclude-editable; } > "$$new/list"; \
	cp "$$new/list" constraints.txt
