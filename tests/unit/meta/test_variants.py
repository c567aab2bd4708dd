"""Families and labels of metric variants."""

import pytest

from diveval.meta.variants import family, label, parameters


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("RBU(p=0.99,e=0.05)@20", "RBU"),
        ("P@10", "P"),
        ("AP", "AP"),
        ("ndeval.ERR_IA@20", "ndeval.ERR_IA"),
        ("α-nDCG@20", "α-nDCG"),
        ("trec_eval.P_10", "trec_eval.P_10"),
        ("dd.ERR(mean=arithmetic)", "dd.ERR"),
        ("@odd(", "@odd("),
    ],
)
def test_family_is_the_name_before_parameters(metric: str, expected: str) -> None:
    """The family is the text before `(` or `@`; a text of another form is its own family."""
    assert family(metric) == expected


def test_parameters_are_read_and_sorted() -> None:
    """The cutoff is a parameter too."""
    assert parameters("RBU(p=0.99,e=0.05)@20") == (("@", "20"), ("e", "0.05"), ("p", "0.99"))


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        (["RBU(p=0.99,e=0.001)", "RBU(p=0.99,e=0.05)"], "RBU e={0.001,0.05}, p=0.99"),
        (["RBU(p=0.8,e=0)@20", "RBU(p=0.9,e=0)@20", "RBU(p=0.99,e=0)@20"], "RBU@20 e=0, p={0.8,0.9,0.99}"),
        (["DCG@1000", "DCG@50", "DCG@100"], "DCG@{50,100,1000}"),
        (["P@20"], "P@20"),
        (["AP"], "AP"),
        (["alpha_DCG(alpha=0.5)@50", "alpha_DCG(alpha=0.1)@50"], "alpha_DCG@50 alpha={0.1,0.5}"),
        (["RBU(p=0.8,e=0.1)", "RBU(p=0.9,e=0.2)"], "RBU e=0.1, p=0.8; RBU e=0.2, p=0.9"),
        # An L of three cells takes two grids; no full grid covers it.
        (["RBU(p=0.8,e=0)", "RBU(p=0.9,e=0)", "RBU(p=0.9,e=1)"], "RBU e=0, p=0.8; RBU e={0,1}, p=0.9"),
        (["RBU(p=0.8,e=0)", "RBU(p=0.8,e=0)@20"], "RBU e=0, p=0.8; RBU@20 e=0, p=0.8"),
        (["dd.ERR(mean=harmonic)", "dd.ERR(mean=arithmetic)"], "dd.ERR mean={arithmetic,harmonic}"),
    ],
)
def test_labels_merge_full_grids(metrics: list[str], expected: str) -> None:
    """A full grid is written once, with the values in braces in numeric order, as in the paper."""
    assert label(metrics) == expected
    assert label(metrics[::-1]) == expected
