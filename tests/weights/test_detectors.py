"""The table of published detectors, and where their names are taken."""

import pytest
import torch

from vitbackbones.commands.weights.weights import matching, table
from vitbackbones.configuration.names import config_files
from vitbackbones.errors import InputError
from vitbackbones.training.find_checkpoint import find_checkpoint
from vitbackbones.weights import DETECTORS, cache
from vitbackbones.weights.by_name import find
from vitbackbones.weights.filling import load_model_file
from vitbackbones.weights.table import find_detector


@pytest.fixture
def fetched(tmp_path, monkeypatch):
    """A file that stands for every download, and what was asked for."""
    file, asked = tmp_path / 'fetched.pth', []
    torch.save({'weight': torch.ones(2)}, file)

    def fetch_url(url, sha256):
        asked.append((url, sha256))
        return file

    monkeypatch.setattr(cache, 'fetch_url', fetch_url)
    return file, asked


def test_every_detector_fills_a_shipped_config():
    assert {row.config for row in DETECTORS.values()} <= {*config_files()}
    for row in DETECTORS.values():
        assert row.url.startswith('https://')
        assert row.url.endswith(f'-{row.sha256}.pth')


def test_a_detector_is_found_by_its_name_and_by_its_config():
    assert find('detr_r50') is find('detr_r50_coco') is DETECTORS['detr_r50']
    assert find('detr_r101').options == 'model.backbone.depth=101'
    assert find_detector('detr_pvt_s_coco') is None
    with pytest.raises(InputError, match="did you mean 'detr_r50'"):
        find('detr_r5')


def test_the_command_lists_detectors_with_their_ap():
    line = table(matching(['detr_r50']))
    assert line.split()[:3] == ['detr_r50', '42.0', 'apache-2.0']
    assert line.endswith(DETECTORS['detr_r50'].url)


def test_a_name_is_taken_for_a_checkpoint(fetched):
    file, asked = fetched
    assert find_checkpoint('detr_r50', 'CHECKPOINT') == file
    assert load_model_file('detr_r50_dc5')['weight'].tolist() == [1, 1]
    assert asked == [(DETECTORS[n].url, DETECTORS[n].sha256) for n in ('detr_r50', 'detr_r50_dc5')]


def test_a_folder_of_that_name_comes_first(fetched, tmp_path, monkeypatch):
    (tmp_path / 'detr_r50').mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match='no checkpoint there'):
        find_checkpoint('detr_r50', 'CHECKPOINT')
