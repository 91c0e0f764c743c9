"""The label of pixels that belong to no class."""

IGNORED = 255  # mmseg's losses and metrics leave it out
