"""The extra `axioms`: decide one cell."""

from diveval.axioms import check

assert check("RBU(p=0.99,e=0.05)", "Conf").verdict == "holds"
