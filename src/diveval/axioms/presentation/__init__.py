"""How it is shown: the matrix, one cell in plain English, regions, advice and the design space."""
