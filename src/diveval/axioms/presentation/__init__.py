"""Presentation of verdicts: the matrix, regions, advice and the design space."""
