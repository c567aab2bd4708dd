"""Collections to evaluate on: a synthetic one, and verified downloads of real ones."""
