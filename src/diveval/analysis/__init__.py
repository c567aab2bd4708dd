"""Answers about a collection: which metric to choose, why two disagree, where axioms fail, where to stop."""
