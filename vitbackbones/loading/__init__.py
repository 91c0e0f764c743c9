"""Reading files that others wrote: a file says what it holds, and never what to do.

``pickles`` takes a pickle apart without Python's own reader, ``names`` is the list of what one may
hold, ``torch_files`` knows how torch stores tensors, ``reading`` is what the rest of the package
calls, and ``downloads`` fetches.
"""
