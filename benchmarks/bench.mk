# Benchmarks, included by the root Makefile.
.PHONY: bench bench-quick

# The compiled scanner is part of the installation: when its sources change, install again.
$(VENV)/installed: setup.py $(wildcard csrc/*.c csrc/*.h)

bench: $(VENV)/tested ## diveval and its peers on 15 million lines, every target checked (half an hour; 800 MB in benchmarks/data)
	$(BIN)/python benchmarks/bench.py

bench-quick: $(VENV)/tested ## the same on one million lines, under two minutes
	$(BIN)/python benchmarks/bench.py --quick
