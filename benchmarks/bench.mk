# Benchmarks, included by the root Makefile.
.PHONY: bench bench-quick

# The installation contains the compiled scanner, so a change of its sources installs again.
$(VENV)/installed: setup.py $(wildcard csrc/*.c csrc/*.h)

bench: $(VENV)/tested ## measure what people wait for beside peers, version 2.0.0 and limits, and check every target (20 minutes); BENCH=full adds growth, 100 million rows of parquet, Spark and `make test`
	$(BIN)/python benchmarks/bench.py $(if $(filter full,$(BENCH)),--full)

bench-quick: $(VENV)/tested ## the same with small workloads, on which no target is judged (two minutes)
	$(BIN)/python benchmarks/bench.py --quick
