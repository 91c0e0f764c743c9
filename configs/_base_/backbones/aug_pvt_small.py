"""Aug-PVT in a small form of our own, for pictures of 128 pixels; from random weights."""

_base_ = './pvt_small.py'

backbone = dict(type='vitbackbones.AugPVT')
