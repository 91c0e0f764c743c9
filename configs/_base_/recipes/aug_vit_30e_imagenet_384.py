"""Aug-ViT's and TNT's fine-tuning at 384 pixels on ImageNet-1k: DeiT's, with mean and std 0.5.

Source: Aug-ViT (Tang et al., NeurIPS 2021) and TNT (Han et al., NeurIPS 2021).
Protocol: 30 epochs, batch 512 (16 GPUs x 32 images), AdamW 5e-6 after 5 epochs from 1e-6, constant
    then, decay 1e-8; the model stays in eval mode. Positions are resized when the weights are
    loaded.
Assumed: DeiT's recipe of this step; Aug-ViT's paper says "as DeiT", TNT's prints none.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the whole model's weights, and the backbone at 384 pixels.
"""

_base_ = [
    '../models/classifier_half.py',
    '../datasets/imagenet.py',
    '../pipelines/half_384.py',
    '../schedules/finetune_30e.py',
    '../cls_runtime.py',
]

train_dataloader = dict(batch_size=32, dataset=dict(pipeline=_base_.train_pipeline))
val_dataloader = dict(batch_size=32, dataset=dict(pipeline=_base_.test_pipeline))
test_dataloader = val_dataloader
optim_wrapper = dict(optimizer=dict(weight_decay=1e-8))
default_hooks = dict(eval_mode=dict(type='vitbackbones.EvalModeHook'))
