"""What a run does besides training: guards, checkpoints, averages, exact resuming."""
