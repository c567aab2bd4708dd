"""What is asked: the ten constraints, the readings of their prose, and Table 1 of the paper as data."""
