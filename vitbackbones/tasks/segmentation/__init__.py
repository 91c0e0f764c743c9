"""Segmentation with mmseg: SETR's necks and heads, and what must agree in a config."""
