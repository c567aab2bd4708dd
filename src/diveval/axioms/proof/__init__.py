"""Decision of cells: search, solver, lemmas, thresholds, and the evidence for a verdict."""
