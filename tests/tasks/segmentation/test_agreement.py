"""Settings of a segmentor that do not go together, and maps that its head does not read."""

import pytest

from vitbackbones.preparing.agreement import disagreements
from vitbackbones.tasks.agreement import Maps
from vitbackbones.tasks.segmentation.agreement import decode_head_reads_all_levels

PLAIN = Maps([384], [16], 'the backbone')
PYRAMID = Maps([64, 128, 320, 512], [4, 8, 16, 32], 'the backbone')
LATE = Maps([256] * 4, [8, 16, 32, 64], 'the neck')


def upernet(batch_size, **head):
    head = {'type': 'UPerHead', 'norm_cfg': {'type': 'BN'}, **head}
    return {
        'default_scope': 'mmseg',
        'model': {'type': 'EncoderDecoder', 'decode_head': head},
        'train_dataloader': {'batch_size': batch_size, 'dataset': {'type': 'ADE20KDataset'}},
    }


def test_a_batch_of_one_image_has_no_statistics_for_upernet(monkeypatch):
    (finding,) = disagreements(upernet(1))
    assert finding.startswith('train_dataloader.batch_size: is 1, but UPerHead normalizes')
    group_norm = {'type': 'GN', 'num_groups': 32}
    for fine in (upernet(2), upernet(1, norm_cfg=group_norm), upernet(1, type='FPNHead')):
        assert disagreements(fine) == []
    monkeypatch.setenv('LOCAL_WORLD_SIZE', '2')  # processes share statistics
    assert disagreements(upernet(1)) == []


def head(kind, **settings):
    return {'decode_head': {'type': kind, 'in_channels': [256] * 4, **settings}}


UPERNET = head('UPerHead', in_index=[0, 1, 2, 3])
FPN = head('FPNHead', in_index=[0, 1, 2, 3], feature_strides=[4, 8, 16, 32])
ONE_MAP = {'decode_head': {'type': 'FCNHead', 'in_channels': 384, 'in_index': -1}}


@pytest.mark.parametrize(
    ('model', 'wanted', 'neck'),
    [
        (UPERNET, 'UPerHead reads 4 feature maps', 'Levels'),
        (FPN, 'FPNHead reads feature maps of strides [4, 8, 16, 32]', 'Pyramid'),
    ],
)
def test_one_map_for_a_head_of_four_names_the_neck(model, wanted, neck):
    (finding,) = decode_head_reads_all_levels(model, PLAIN)
    wrong = f'model.decode_head: {wanted}, but the backbone gives 1 feature map of strides [16]'
    made = f"dict(type='vitbackbones.{neck}', in_channels=[384], in_strides=[16], out_channels=256)"
    assert tuple(finding) == (wrong, f'make the feature maps in the neck: model.neck={made}')


def test_maps_of_other_strides_are_found():
    for model, maps in ((FPN, PYRAMID), (ONE_MAP, PLAIN), ({}, PLAIN)):
        assert list(decode_head_reads_all_levels(model, maps)) == []
    (finding,) = decode_head_reads_all_levels(FPN, LATE)
    assert 'the neck gives 4 feature maps of strides [8, 16, 32, 64]' in finding.wrong
    assert finding.remedy.startswith("use type='vitbackbones.")  # as no neck of ours made them
