"""Settings of a segmentor that do not go together."""

from vitbackbones.configuration.checks.agreement import disagreements


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
