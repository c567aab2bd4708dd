"""Doors to the libraries people already use; each needs its library installed, and none is needed by the core."""
