"""What models and runs cost and reach, and looking into trained models.

``reading.py`` is how the example ``analyze`` reads inside.
"""
