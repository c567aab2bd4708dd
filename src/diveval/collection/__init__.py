"""Judgments, runs and rankings as columns; how grades become relevance and lines become an order."""
