"""Predictions for files, folders and videos, written so that a run can be continued."""
