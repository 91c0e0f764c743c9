"""Measurements behind docs/benchmarks.md: ``python -m benchmarks.NAME`` in the root of a clone."""
