"""Judging a track: the pool, files and a page for assessors, their labels and what these make."""
