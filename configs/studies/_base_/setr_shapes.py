"""SETR-MLA on a small plain ViT, Shapes: what the study of attention in a segmentor starts from.

The 500 pictures of val are halved: one half chooses the rates, the other is the test.
"""

_base_ = '../../shapes/setr_mla_msf_vit_ti.py'

model = dict(backbone=dict(type='vitbackbones.SimpleViT'))
val_dataloader = dict(dataset=dict(indices=-250))
test_dataloader = dict(dataset=dict(indices=250))
default_hooks = dict(checkpoint=dict(max_keep_ckpts=1, save_best=None), curves=None)
