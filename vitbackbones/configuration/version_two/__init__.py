"""Configs of mmdet 2, mmsegmentation 0 and mmcls, written as those of their successors."""
