"""Verbs for weights: listed, fetched, converted and published."""
