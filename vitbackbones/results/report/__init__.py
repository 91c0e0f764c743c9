"""What ``test --report`` writes: one page with all that an evaluation has found.

``elements`` are what a page consists of, ``page`` is its file; ``detection``, ``segmentation`` and
``classification`` say what is on it.
"""
