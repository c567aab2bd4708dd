"""How it is decided: search, solver, lemmas, thresholds, and the evidence that comes out."""
