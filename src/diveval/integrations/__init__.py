"""Integrations with other libraries; each needs its library installed, and the core needs none."""
