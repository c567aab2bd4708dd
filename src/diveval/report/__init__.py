"""The report: one HTML file that shows an evaluation, and single pictures for a paper.

The data and the drawing of the views are in `diveval.views`; here they become one file, and `charts` draws pictures for
print.
"""

from diveval.callable_module import make_callable
from diveval.errors import gathered
from diveval.report.axiom_section import Deciding
from diveval.report.contents import contents, write_report
from diveval.report.page import page
from diveval.study import Study, needed

make_callable(__name__, "diveval.report.contents", "report")

__all__ = ["Deciding", "Study", "contents", "gathered", "needed", "page", "write_report"]
