"""What makes a model answer faster or with less memory, installed by ``fuse_for_inference``."""
