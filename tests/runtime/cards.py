"""A card for tests."""

from vitbackbones.runtime.card import Card, GraphInput, GraphOutput


def make_card(**changed) -> Card:
    """Return the card of a classifier of three classes, with other values where they are given."""
    image = GraphInput(
        name='image',
        dtype='float32',
        layout='NCHW',
        shape=[None, 3, 32, 32],
        color='rgb',
        mean=[123.675, 116.28, 103.53],
        std=[58.395, 57.12, 57.375],
        preprocess_inside=False,
    )
    values = {
        'format': 'onnx',
        'task': 'classification',
        'name': 'tiny',
        'classes': ['ring', 'square', 'star'],
        'palette': None,
        'input': image,
        'steps': [],
        'outputs': [GraphOutput(name='logits', dtype='float32', shape=[None, 3])],
        'dynamic': ['batch'],
        'checkpoint': None,
        'parity': {},
        'versions': {},
    }
    return Card(**values | changed)
