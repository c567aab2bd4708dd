"""The extra `ir-measures`: our metrics as measures of ir_measures."""

import ir_measures

import diveval.integrations.ir_measures  # noqa: F401

qrels = [ir_measures.Qrel("1", "d", 1, "a")]
run = [ir_measures.ScoredDoc("1", "d", 1.0)]
assert ir_measures.calc_aggregate([ir_measures.parse_measure("alpha_nDCG@20")], qrels, run)
