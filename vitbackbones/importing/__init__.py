"""Annotations in other forms, read without trust and written as COCO files and index masks."""
