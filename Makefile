# `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help

# Tests and benchmarks start thousands of commands; without cached bytecode each of them would compile the package again.
unexport PYTHONDONTWRITEBYTECODE
# uv uses the system's certificates, as pip does.
export UV_SYSTEM_CERTS := 1

.PHONY: help demo test thorough check lint format coverage mutants kills hostile lock audit load clean wheel extras

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

$(VENV)/made: # an empty environment
	@echo "== creating $(VENV)"
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

demo: $(VENV)/installed ## install diveval into .venv, evaluate a synthetic collection and write the results to demo/
	$(BIN)/diveval demo --output demo

# The tests of a file run in one worker, so that its fixtures are set up once; tests/conftest.py starts the longest files
# first. There is one worker more than cores, because workers often wait for a browser or for Spark.
PARALLEL = -n $$($(BIN)/python -c 'import os; print(os.cpu_count() + 1)') --dist loadfile --no-loadscope-reorder

test: $(VENV)/tested ## install the test dependencies into .venv (and Chromium and clang where possible), then run ruff and the whole test suite
	@scripts/install-chromium
	@echo "== ruff (mypy runs as one of the tests)"
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@$(BIN)/python -m compileall -q -j 0 src # once, not in every worker
	$(BIN)/python -m pytest $(PARALLEL)

lint: $(VENV)/tested ## style and types only: ruff, mypy and, where npx can run it, prettier
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@scripts/prettier --check
	$(BIN)/mypy

format: $(VENV)/tested ## format Python with ruff and JavaScript with prettier
	$(BIN)/ruff format
	@scripts/prettier --write

check: lint ## the inner loop: style, types and the fast unit and property tests
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow" tests/unit tests/laws

coverage: $(VENV)/tested ## line and branch coverage of src/ by the whole suite and of csrc/ by the tests of the readers; details in build/coverage
	@scripts/install-chromium
	$(BIN)/python -m pip install --quiet --group coverage
	rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/python -m coverage run -m pytest
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage html --quiet --fail-under=0
	$(BIN)/python -m coverage json --quiet --fail-under=0
	$(BIN)/python -m coverage report
	@$(BIN)/python -c 'import json; print("branches: {covered_branches} of {num_branches}".format(**json.load(open("build/coverage/totals.json"))["totals"]))'
	$(BIN)/python scripts/c_coverage.py

mutants: $(VENV)/tested ## mutation testing of what computes and decides, on samples; MUTANTS=200 sets its size per package, MUTANTS=all runs all
	$(BIN)/python -m pip install --quiet --group mutants
	nice -n 5 $(BIN)/python scripts/mutants --sample "$(MUTANTS)"

thorough: $(VENV)/tested ## the whole suite with the full number of examples for random tests (an hour)
	DIVEVAL_THOROUGH=1 $(BIN)/python -m pytest $(PARALLEL)

kills: $(VENV)/tested ## kill every command that writes six times at random moments and check the files that remain
	DIVEVAL_KILLS=6 $(BIN)/python -m pytest tests/robustness/test_kills.py

hostile: $(VENV)/tested ## tests with very large inputs: a million documents, 100,000 aspects, 10,000 runs, archives that expand to gigabytes
	DIVEVAL_HOSTILE=1 $(BIN)/python -m pytest tests/robustness/test_hostile.py tests/robustness/test_faults.py --durations=0

lock: $(VENV)/made ## update locks/, the exact versions that `make test` installs; UPGRADE=--upgrade takes the newest versions
	$(BIN)/python -m pip install --quiet --group lock
	scripts/lock $(BIN)/uv $(UPGRADE)

audit: $(VENV)/tested ## check the locked dependencies for known vulnerabilities with pip-audit
	@scripts/install $(BIN)/python audit
	$(BIN)/python scripts/audit.py

load: $(VENV)/tested ## load test of the studio: fifty clients for two minutes; reports errors, latency and memory
	$(BIN)/python benchmarks/load_studio.py

extras: $(VENV)/tested ## install each extra alone, at its lowest and newest versions, and run its example; EXTRAS="spark meta" selects some
	$(BIN)/python -m pip install --quiet --group lock
	$(BIN)/python scripts/extras.py --uv $(BIN)/uv $(EXTRAS)

wheel: $(VENV)/tested ## build the source archive and the wheel into dist/
	rm -rf dist build/lib build/bdist.* build/temp.*
	$(BIN)/python -m build --no-isolation --outdir dist
	@ls -l dist

clean: ## remove .venv and all generated files
	rm -rf $(VENV) demo build dist src/*.egg-info src/diveval/*.so docs/_build docs/_generated benchmarks/data
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis

include benchmarks/bench.mk docs/docs.mk fuzz/fuzz.mk proofs/proofs.mk
