"""Pictures and masks: read, cropped, augmented and laid out."""
