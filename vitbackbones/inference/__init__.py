"""Predictions for files, folders and videos, which can be continued after an interruption."""
