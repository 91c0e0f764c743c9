"""What models cost, what papers print of it, and looking into trained models.

``table.py`` lists the analyses of ``tools/analyze.py``; ``reading.py`` is how they read inside.
"""
