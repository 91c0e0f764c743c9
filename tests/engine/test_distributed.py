"""Several processes without GPUs."""

from mmengine.config import Config
from torch import distributed

from vitbackbones.engine import distributed as ours


def test_processes_on_cpus_keep_their_own_batch_statistics(monkeypatch):
    """SyncBatchNorm, which a config may ask for, refuses tensors that are not on a GPU."""
    started = []
    monkeypatch.setattr(distributed, 'init_process_group', started.append)
    monkeypatch.setattr(ours.torch.cuda, 'is_available', lambda: False)
    monkeypatch.setenv('RANK', '0')
    config = Config({'sync_bn': 'torch'})
    ours.prepare_distributed(config, 'none')
    assert config.sync_bn == 'torch'  # mmengine leaves it unused in a single process
    ours.prepare_distributed(config, 'pytorch')
    assert (started, config.sync_bn) == (['gloo'], None)
