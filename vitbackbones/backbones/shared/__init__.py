"""What networks share beside their base class: options, recursion, start values, sizes."""
