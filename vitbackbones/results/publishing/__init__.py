"""Passing a trained model on: its weights, a card that says what it is, and the config."""
