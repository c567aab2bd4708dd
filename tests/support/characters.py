"""What a text may hold, for properties of any text."""

from __future__ import annotations

from hypothesis import strategies as st

# What UTF-8 can write. Hypothesis takes the same by default, but tries all million characters to know, for three seconds.
ANY: st.SearchStrategy[str] = st.characters(exclude_categories=["Cs"])
