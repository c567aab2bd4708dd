"""Entry points for libraries that people use; each needs its library installed, and the core needs none."""
