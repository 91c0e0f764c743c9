"""Verbs that list configs and models, and copy a config."""
