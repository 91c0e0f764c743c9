"""What evaluations and runs are shown by: pages of ``test --report``, and cards of models.

A page consists of ``elements``, and ``page`` writes its file; ``detection``, ``segmentation`` and
``classification`` say what is on it. ``model_card`` says what a trained model is.
"""
