"""Training followed from outside: trackers, pictures of predictions, and one page of a run."""
