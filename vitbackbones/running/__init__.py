"""Runs: training and testing, for the commands and for calls from Python."""

IMAGENET_SETS = ('real', 'v2-matched', 'v2-threshold', 'v2-top')
