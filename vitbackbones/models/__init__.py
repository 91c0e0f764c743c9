"""Networks by name, under timm's names: ``create_model('aug_vit_s')`` maps images to logits.

``features_only=True`` gives maps in place of logits.
"""

from .classifier import Classifier
from .create import create_model
from .features import Features
from .names import MODELS, list_models
from .preprocessing import transform

__all__ = ['MODELS', 'Classifier', 'Features', 'create_model', 'list_models', 'transform']
