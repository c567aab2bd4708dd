# Benchmarks, included by the root Makefile.
.PHONY: bench bench-quick

# The compiled scanner is part of the installation: when its sources change, install again.
$(VENV)/installed: setup.py $(wildcard csrc/*.c csrc/*.h)

bench: $(VENV)/tested ## diveval and its peers on 15 million lines, every target checked (an hour; BENCH=full adds 100 M rows of parquet and 10 M in Spark)
	@status=0; $(BIN)/python benchmarks/bench.py || status=1; \
	$(BIN)/python benchmarks/bench_columns.py $(if $(filter full,$(BENCH)),--full) || status=1; exit $$status

bench-quick: $(VENV)/tested ## the same on one million lines, under two minutes
	$(BIN)/python benchmarks/bench.py --quick
	$(BIN)/python benchmarks/bench_columns.py --quick
