"""Verbs for configs, models and weights by name: listed, fetched and published."""
