"""What docs/benchmarks.md and docs/evidence.md are made with.

Run ``python -m benchmarks.NAME`` in the root of a clone.
"""
