"""Pictures and masks: read, cropped, augmented and laid out."""

IGNORED = 255  # label of pixels that belong to no class; mmseg's losses and metrics leave it out
