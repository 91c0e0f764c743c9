"""Settings of a segmentor that do not go together."""

import pytest

from vitbackbones.configuration.checks.agreement import disagreements


def upernet(batch_size, **head):
    head = {'type': 'UPerHead', 'norm_cfg': {'type': 'BN'}, **head}
    return {
        'default_scope': 'mmseg',
        'model': {'type': 'EncoderDecoder', 'decode_head': head},
        'train_dataloader': {'batch_size': batch_size, 'dataset': {'type': 'ADE20KDataset'}},
    }


def test_a_batch_of_one_image_has_no_statistics_for_upernet():
    (finding,) = disagreements(upernet(1))
    assert finding.startswith('train_dataloader.batch_size: is 1, but UPerHead normalizes')


@pytest.mark.parametrize(
    ('batch_size', 'head'),
    [(2, {}), (1, {'norm_cfg': {'type': 'GN', 'num_groups': 32}}), (1, {'type': 'FPNHead'})],
)
def test_other_norms_heads_and_batches_do(batch_size, head):
    assert disagreements(upernet(batch_size, **head)) == []


def test_several_processes_share_statistics(monkeypatch):
    monkeypatch.setenv('LOCAL_WORLD_SIZE', '2')
    assert disagreements(upernet(1)) == []
