"""What was run is told so that it can be run again."""

import hashlib
import sys

from mmengine.config import Config

from vitbackbones.results.report.run_facts import facts
from vitbackbones.version import __version__


def test_facts(tmp_path, monkeypatch):
    (tmp_path / 'a.pth').write_bytes(b'weights')
    parts = [{'type': 'CocoDataset', 'data_root': 'x', 'ann_file': 'a.json'}, {'type': 'B'}]
    config = Config({'test_dataloader': {'dataset': {'type': 'ConcatDataset', 'datasets': parts}}})
    monkeypatch.setattr(sys, 'argv', ['tools/test.py', 'my config.py', 'a.pth'])
    told = facts(config, tmp_path / 'a.pth', 7)
    digest = hashlib.sha256(b'weights').hexdigest()
    assert told['checkpoint'] == f'{tmp_path}/a.pth\nSHA-256 {digest}'
    assert told['data set'].splitlines() == ['CocoDataset x a.json', 'B']
    assert told['command'] == "tools/test.py 'my config.py' a.pth"
    assert told['pictures'] == '7'
    assert f'vitbackbones {__version__}' in told['versions']
    assert 'torch ' in told['versions']
