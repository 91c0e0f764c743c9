"""Export models to files for other runtimes, and compare their outputs."""
