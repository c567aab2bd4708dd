"""How it is shown: the matrix, regions, advice and the design space."""
