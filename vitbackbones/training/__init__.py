"""Additions to mmengine's runner for training; ``hooks`` act during a run."""
