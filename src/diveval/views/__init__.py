"""The views of an evaluation: their data as plain shapes in Python, and in `static/` the modules that draw them.

The report embeds both in one file; the studio serves the same modules and answers with the same shapes.
"""
