"""What models that have not seen a picture say of its labels."""
