"""What ``test --report`` writes: one page with all that an evaluation has found.

``parts`` and ``page`` are what a page consists of and its file; ``detection``, ``segmentation`` and
``classification`` say what is on it.
"""
