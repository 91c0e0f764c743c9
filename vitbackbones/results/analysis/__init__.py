"""What models and runs cost and reach, and looking into trained models.

``analyses.py`` lists the analyses of ``analyze``; ``reading.py`` is how they read inside.
"""
