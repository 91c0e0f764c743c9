"""Command lines of the verbs whose modules import torch; their help does not wait for it."""
