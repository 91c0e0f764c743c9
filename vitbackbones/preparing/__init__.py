"""What is looked for, and added to a config, before a run starts."""
