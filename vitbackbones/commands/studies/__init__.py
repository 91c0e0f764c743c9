"""Several runs that answer one question: variants, seeds and their table."""
