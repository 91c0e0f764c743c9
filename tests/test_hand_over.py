"""A detector's or segmentor's checkpoint as the backbone of the next model, for every host."""

import torch

from vitbackbones.weights.filling import load_pretrained

# keys of OpenMMLab's models beside the backbone
BESIDE = (
    'neck.convs.0.conv.weight',
    'encoder.layers.0.self_attn.attn.in_proj_weight',
    'encoder.layers.0.norms.0.weight',
    'decoder.layers.0.cross_attn.attn.in_proj_weight',
    'query_embedding.weight',
    'bbox_head.fc_cls.weight',
    'neck.mlas.0.0.conv.weight',
    'decode_head.conv_seg.weight',
    'auxiliary_head.0.conv_seg.weight',
    'head.fc.weight',
)


def test_only_the_backbone_is_taken(make_backbone, tmp_path):
    source = make_backbone()
    torch.nn.init.normal_(next(p for p in source.parameters() if p.dim() > 1))
    state = {f'backbone.{key}': value for key, value in source.state_dict().items()}
    state |= {key: torch.ones(3) for key in BESIDE}
    torch.save({'meta': {}, 'state_dict': state}, tmp_path / 'epoch_1.pth')
    backbone = make_backbone()
    coverage = load_pretrained(backbone, tmp_path / 'epoch_1.pth')
    assert len(coverage.unused) == len(BESIDE)
    for key, value in backbone.state_dict().items():
        assert torch.equal(value, source.state_dict()[key]), key
