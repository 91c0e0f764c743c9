"""A small DETR on a small plain ViT, Shapes: what the study of shortcuts in a detector starts from.

The 500 pictures of val are halved: one half chooses the rates, the other is the test.
"""

_base_ = '../../shapes/detr_deit_s.py'

test_steps = _base_.test_steps
test_steps.pack.meta_keys = (*test_steps.pack.meta_keys, 'instances')  # what the metric reads
test_pipeline = list(test_steps.values())

val_dataloader = dict(dataset=dict(indices=-250, pipeline=test_pipeline))
test_dataloader = dict(dataset=dict(indices=250, pipeline=test_pipeline))
val_evaluator = dict(ann_file=None)  # whose file has both halves
test_evaluator = dict(ann_file=None)
default_hooks = dict(checkpoint=dict(max_keep_ckpts=1, save_best=None), curves=None)
