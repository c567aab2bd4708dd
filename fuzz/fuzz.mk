# Fuzzing of the readers in C and in Python, included by the root Makefile.
.PHONY: fuzz fuzz-tools
FUZZ_SECONDS ?= 600

# `make test` fuzzes each target with 40 to 100 inputs, so it installs the tools too, or prints why it cannot.
test: fuzz-tools
fuzz-tools: $(VENV)/tested
	@scripts/install-clang
	@$(BIN)/python -c 'import atheris' 2>/dev/null || scripts/install $(BIN)/python fuzz || \
		echo "the Python readers will not be fuzzed: atheris cannot be installed for this version of Python" >&2

fuzz: fuzz-tools ## fuzz the readers in C (with sanitizers) and in Python for FUZZ_SECONDS in total (600)
	$(BIN)/python fuzz/run.py --seconds $(FUZZ_SECONDS)
