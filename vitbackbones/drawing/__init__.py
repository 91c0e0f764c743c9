"""Predictions and ground truth as pictures, and pictures on sheets."""
