"""What the segmentors of mmseg share: input, and testing in one piece.

In testing an image is padded to whole cells of stride 32, and the padding is cut off the answer. So
every map lies exactly on the image; mmseg would stretch maps that hang over the border.
"""

model = dict(
    type='EncoderDecoder',
    data_preprocessor=dict(
        type='SegDataPreProcessor',
        mean=[123.675, 116.28, 103.53],  # ImageNet, RGB
        std=[58.395, 57.12, 57.375],
        bgr_to_rgb=True,
        size=(512, 512),  # of training crops
        pad_val=0,
        seg_pad_val=255,
        test_cfg=dict(size_divisor=32),
    ),
    train_cfg=dict(),
    test_cfg=dict(mode='whole'),
)
