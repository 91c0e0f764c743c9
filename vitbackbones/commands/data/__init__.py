"""Verbs that look at data, draw it, import it and pack it."""
