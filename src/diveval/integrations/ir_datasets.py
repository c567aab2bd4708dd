"""ir_datasets: the judgments of a dataset by its id, subtopics as aspects; `ir_datasets:ID` on the command line.

>>> from diveval.integrations.ir_datasets import judgments  # doctest: +SKIP
>>> judgments("clueweb12/trec-web-2014/diversity")
"""

from diveval.reading import ir_datasets_judgments as judgments

__all__ = ["judgments"]
