"""An SReT of four narrow blocks without recursion, which the quick detector and segmentors share.

A run config names this file beside the head's:

    model = dict(backbone=_base_.quick_sret_pretrained)

``quick_sret_pretrained`` starts from weights in the package, ``quick_sret`` from random ones.
"""

quick_sret = dict(
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
quick_sret_pretrained = dict(
    **quick_sret,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='sret_quick'),
)
