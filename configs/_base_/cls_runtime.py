"""Logging, checkpoints, seed and drawing of a classification run."""

_base_ = './default_runtime.py'

default_scope = 'mmpretrain'
default_hooks = dict(visualization=dict(type='VisualizationHook'))  # draws when told to: enable
visualizer = dict(type='UniversalVisualizer')
