"""Annotations in other forms, read without trust and written as COCO files and index masks."""

BOX_FORMS = ('voc', 'yolo', 'labelme', 'cvat')
MASK_FORMS = ('numbers', 'regions', 'files')  # of instances
