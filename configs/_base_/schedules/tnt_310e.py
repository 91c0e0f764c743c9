"""TNT's and Aug-ViT's schedule: DeiT's 300 epochs, then 10 more at the last rate, 1e-5."""

_base_ = './deit_300e.py'

train_cfg = dict(max_epochs=310)
