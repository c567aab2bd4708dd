# Benchmarks, included by the root Makefile.
.PHONY: bench bench-quick

# The installation contains the compiled scanner, so a change of its sources installs again.
$(VENV)/installed: setup.py $(wildcard csrc/*.c csrc/*.h)

bench: $(VENV)/tested ## compare diveval with other tools on 15 million lines, and where people wait with 2.0.0, and check the targets (an hour); BENCH=full adds 100 million rows of parquet and 10 million in Spark
	@status=0; $(BIN)/python benchmarks/bench.py || status=1; \
	$(BIN)/python benchmarks/bench_columns.py $(if $(filter full,$(BENCH)),--full) || status=1; \
	$(BIN)/python benchmarks/bench_jobs.py || status=1; exit $$status

bench-quick: $(VENV)/tested ## the same comparison on one million lines (under two minutes)
	$(BIN)/python benchmarks/bench.py --quick
	$(BIN)/python benchmarks/bench_columns.py --quick
