"""What a model costs (parameters, operations), and what papers print about it."""
