"""Run exported files: without torch, on numpy and the runtime of the file's format."""
