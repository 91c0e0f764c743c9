"""What docs/lab/benchmarks.md and docs/lab/evidence.md are made with.

Run ``python -m benchmarks.NAME`` in the root of a clone.
"""
