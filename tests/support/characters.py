"""Characters for property tests of any text."""

from __future__ import annotations

from hypothesis import strategies as st

# All characters that UTF-8 can encode. Hypothesis finds the same by itself, but needs three seconds.
ANY: st.SearchStrategy[str] = st.characters(exclude_categories=["Cs"])
