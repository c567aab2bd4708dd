# Fuzzing, included by the root Makefile: everything that is read, in C and in Python.
.PHONY: fuzz fuzz-tools
FUZZ_SECONDS ?= 600

# `make test` runs 40 to 100 inputs a target, so it needs the tools as well; where one cannot be had it is said.
test: fuzz-tools
fuzz-tools: $(VENV)/tested
	@scripts/install-clang
	@$(BIN)/python -c 'import atheris' 2>/dev/null || scripts/install $(BIN)/python fuzz || \
		echo "the Python readers will not be fuzzed: atheris cannot be installed on this Python" >&2

fuzz: fuzz-tools ## fuzz everything that is read, in C (under sanitizers) and in Python, FUZZ_SECONDS (600) in all
	$(BIN)/python fuzz/run.py --seconds $(FUZZ_SECONDS)
