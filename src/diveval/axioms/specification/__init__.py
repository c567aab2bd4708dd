"""What is asked: the ten constraints, and the readings of their prose."""
