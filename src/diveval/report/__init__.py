"""The report: one HTML file that shows an evaluation, and single pictures for a paper.

Data for a picture is computed here, in Python, as plain dictionaries; drawing lives in `assets/` and in `charts`.
"""

from diveval.report.axioms import Deciding
from diveval.report.contents import contents
from diveval.report.page import page
from diveval.report.study import Study, listening, needed

__all__ = ["Deciding", "Study", "contents", "listening", "needed", "page"]
