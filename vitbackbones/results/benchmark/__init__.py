"""Timing models side by side: this package's, timm's, OpenMMLab's, and DETR in two forms."""
