"""Verbs for configs, models and weights by name: listed, copied, fetched and published."""
