"""Networks of other libraries as backbones, by their names there."""
