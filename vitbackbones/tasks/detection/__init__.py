"""Detection with mmdet: DETR and its head, and what must agree in a config."""
