"""The ten constraints, and the readings of their prose."""
