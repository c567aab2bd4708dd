# Benchmarks and fuzzing, included by the root Makefile.
.PHONY: bench bench-quick fuzz
FUZZ_SECONDS ?= 600
FUZZ_SEED ?= $(shell date +%s)

# The compiled scanner is part of the installation: when its sources change, install again.
$(VENV)/installed: setup.py $(wildcard csrc/*.c csrc/*.h)

bench: $(VENV)/tested ## diveval and its peers on 15 million lines, every target checked (half an hour; 800 MB in benchmarks/data)
	$(BIN)/python benchmarks/bench.py

bench-quick: $(VENV)/tested ## the same on one million lines, under two minutes
	$(BIN)/python benchmarks/bench.py --quick

fuzz: ## the scanner under AddressSanitizer and UBSan on damaged files, for FUZZ_SECONDS (600)
	@mkdir -p build
	fuzz/build.sh build/fuzz_scanner
	build/fuzz_scanner $(FUZZ_SECONDS) $(FUZZ_SEED)
