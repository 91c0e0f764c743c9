"""What the three forms of SETR (Zheng et al., CVPR 2021) share: input, and testing in windows.

Testing in one piece: ``--cfg-options model.test_cfg.mode=whole``.
"""

model = dict(
    type='EncoderDecoder',
    data_preprocessor=dict(
        type='SegDataPreProcessor',
        mean=[123.675, 116.28, 103.53],  # ImageNet, RGB
        std=[58.395, 57.12, 57.375],
        bgr_to_rgb=True,
        size=(512, 512),  # of training crops; nothing is padded in testing
        pad_val=0,
        seg_pad_val=255,
    ),
    train_cfg=dict(),
    test_cfg=dict(mode='slide', crop_size=(512, 512), stride=(341, 341)),
)
