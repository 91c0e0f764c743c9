"""Checks of the data that a user brings: COCO files, class folders and label files, masks."""
