"""Runs: training and testing, for the commands and for calls from Python."""
