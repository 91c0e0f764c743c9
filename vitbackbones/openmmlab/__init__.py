"""What OpenMMLab needs to be told: patches of its packages, and knowledge of their insides."""
