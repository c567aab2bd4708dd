# Every target explains itself: `make help`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help

# Tests and benchmarks start thousands of commands: Python keeps its compiled files, or each start compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE
# uv trusts whom the machine trusts, as pip does.
export UV_SYSTEM_CERTS := 1

.PHONY: help demo test thorough check lint coverage mutants kills hostile lock audit load clean wheel extras

help: ## explain every target
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

$(VENV)/made: # the bare environment
	@echo "== making $(VENV)"
	$(PYTHON) -m venv $(VENV)
	@scripts/install $(BIN)/python pip
	@touch $@

$(VENV)/installed: $(VENV)/made pyproject.toml locks/all.txt
	@echo "== installing diveval into $(VENV)"
	@scripts/install $(BIN)/python all
	@touch $@

$(VENV)/tested: $(VENV)/installed locks/test.txt
	@echo "== installing the test dependencies"
	@scripts/install $(BIN)/python test
	@touch $@

demo: $(VENV)/installed ## make .venv, install diveval, evaluate a synthetic collection into demo/
	$(BIN)/diveval demo --output demo

# Tests of one file share a worker: what a file sets up is set up once. tests/conftest.py puts the longest files first.
# One worker more than cores: while one waits for a browser or for Spark, its core is free.
PARALLEL = -n $$($(BIN)/python -c 'import os; print(os.cpu_count() + 1)') --dist loadfile --no-loadscope-reorder

test: $(VENV)/tested ## make .venv with the test dependencies (and Chromium where it can) and run the whole suite
	@scripts/install-chromium
	@echo "== ruff, and mypy as one of the tests"
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@$(BIN)/python -m compileall -q -j 0 src # or every worker compiles all of it
	$(BIN)/python -m pytest $(PARALLEL)

lint: $(VENV)/tested ## style and types only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

check: lint ## the inner loop: style, types and the fast tests, without browser, peers, real collections and whole campaigns
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow" tests/unit tests/laws

coverage: $(VENV)/tested ## lines and branches of src/ and csrc/ that the whole suite runs; build/coverage/html shows what it does not
	@scripts/install-chromium
	$(BIN)/python -m pip install --quiet --group coverage
	rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/python -m coverage run -m pytest
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage html --quiet --fail-under=0
	$(BIN)/python -m coverage json --quiet --fail-under=0
	$(BIN)/python -m coverage report
	@$(BIN)/python -c 'import json; print("branches alone: {covered_branches} of {num_branches}".format(**json.load(open("build/coverage/totals.json"))["totals"]))'
	$(BIN)/python scripts/c_coverage.py

mutants: $(VENV)/tested ## faults in metrics, unanimity and axioms that the tests miss; MUTANTS=200 per package, MUTANTS=all for every one
	$(BIN)/python -m pip install --quiet --group mutants
	nice -n 5 $(BIN)/python scripts/mutants --sample "$(MUTANTS)"

thorough: $(VENV)/tested ## the whole suite with every random test tried as often as it asks: an hour
	DIVEVAL_THOROUGH=1 $(BIN)/python -m pytest $(PARALLEL)

kills: $(VENV)/tested ## kill -9 every command that writes, 126 times in all, and look at what is left
	DIVEVAL_KILLS=6 $(BIN)/python -m pytest tests/robustness/test_kills.py

hostile: $(VENV)/tested ## the largest hostile inputs: 10^6 documents, 10^5 aspects, 10^4 runs, packs of gigabytes
	DIVEVAL_HOSTILE=1 $(BIN)/python -m pytest tests/robustness/test_hostile.py tests/robustness/test_faults.py --durations=0

lock: $(VENV)/made ## renew locks/, the exact versions `make test` installs; `make lock UPGRADE=--upgrade` takes the newest
	$(BIN)/python -m pip install --quiet --group lock
	scripts/lock $(BIN)/uv $(UPGRADE)

audit: $(VENV)/tested ## pip-audit over the locked dependencies
	@scripts/install $(BIN)/python audit
	$(BIN)/python scripts/audit.py

load: $(VENV)/tested ## fifty clients at the studio for two minutes: errors, latency, memory
	$(BIN)/python benchmarks/load_studio.py

extras: $(VENV)/tested ## install every extra alone, at lowest and newest versions, and run its example
	$(BIN)/python -m pip install --quiet --group lock
	$(BIN)/python scripts/extras.py --uv $(BIN)/uv $(EXTRAS)

wheel: $(VENV)/tested ## build the source archive and the wheel into dist/
	rm -rf dist build/lib build/bdist.* build/temp.*
	$(BIN)/python -m build --no-isolation --outdir dist
	@ls -l dist

clean: ## remove what the targets made
	rm -rf $(VENV) demo build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

include benchmarks/bench.mk docs/docs.mk fuzz/fuzz.mk proofs/proofs.mk
