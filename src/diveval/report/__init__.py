"""The report: one HTML file that shows an evaluation, and single pictures for a paper.

The data and the drawing of the views are in `diveval.views`; here they become one file, and `charts` draws pictures for
print. The package itself is empty, since `diveval.report` is a function.
"""
