"""Reading a config, checking its keys and values, and finding its data and classes."""

SPLITS = ('train', 'val', 'test')
