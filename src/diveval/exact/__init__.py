"""Exact arithmetic: polynomials over the rationals, certified logarithms, and symbolic runs of a metric."""
