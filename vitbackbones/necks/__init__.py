"""Necks: from the maps of any backbone to the levels that a head wants.

Every neck takes the ``in_channels`` and ``in_strides`` of the backbone, so that a head depends on
neither. Convolutions are mmcv's, so the necks run under mmdet and mmseg alike.
"""

from .channel_mapper import ChannelMapper
from .fpn import FPN
from .simple_pyramid import Levels, Pyramid, SimpleFeaturePyramid

__all__ = ['FPN', 'ChannelMapper', 'Levels', 'Pyramid', 'SimpleFeaturePyramid']
