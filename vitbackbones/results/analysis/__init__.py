"""What models cost, what papers print of it, and looking into trained models.

``table.py`` lists the analyses of ``analyze``; ``reading.py`` is how they read inside.
"""
