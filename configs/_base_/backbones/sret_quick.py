"""SReT in a small form of our own, for minutes of training: every block runs once, in slices.

Three convolutions bring the image to stride 8, so edges and colors need not be learned through
attention; four blocks give three maps. From random weights.
"""

backbone = dict(
    type='vitbackbones.SReT',
    arch=dict(
        stem_dims=(32, 64, 64),
        embed_dims=(64, 128, 256),
        num_heads=(2, 4, 8),
        depths=(1, 2, 1),
        passes=1,
        mlp_ratio=3.0,
        nll_ratio=0.0,
    ),
    img_size=320,
)
maps = dict(in_channels=[64, 128, 256], in_strides=[8, 16, 32])
