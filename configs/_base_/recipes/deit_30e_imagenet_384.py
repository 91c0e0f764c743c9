"""DeiT's fine-tuning at 384 pixels on ImageNet-1k.

Source: DeiT (Touvron et al., ICML 2021), the command in the repository's README.
Protocol: 30 epochs, batch 512 (16 GPUs x 32 images), AdamW 5e-6 after 5 epochs from 1e-6, constant
    then, decay 1e-8; the model stays in eval mode. Positions are resized when the weights are
    loaded.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the whole model's weights, and the backbone at 384 pixels.
"""

_base_ = [
    '../models/classifier_erase_first.py',
    '../datasets/imagenet.py',
    '../pipelines/deit_384.py',
    '../schedules/finetune_30e.py',
    '../cls_runtime.py',
]

train_dataloader = dict(batch_size=32, dataset=dict(pipeline=_base_.train_pipeline))
val_dataloader = dict(batch_size=32, dataset=dict(pipeline=_base_.test_pipeline))
test_dataloader = val_dataloader
optim_wrapper = dict(optimizer=dict(weight_decay=1e-8))
default_hooks = dict(eval_mode=dict(type='vitbackbones.EvalModeHook'))
