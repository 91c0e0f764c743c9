"""How far the offline files of wandb go, also where a kill cut them short."""

import pytest

from vitbackbones.tracking.wandb_file import last_step

pytest.importorskip('wandb')


def test_all_files_of_a_run_count(followed):
    (run,) = {folder.name.rpartition('-')[2] for folder in followed.glob('wandb/offline-run-*')}
    assert last_step(followed, run) == 12
    assert last_step(followed, 'another') == -1


def test_a_file_may_end_anywhere(followed, tmp_path):
    first = min(followed.glob('wandb/offline-run-*/*.wandb'))
    content, found = first.read_bytes(), []
    file = tmp_path / 'wandb' / 'offline-run-1-a' / 'run-a.wandb'
    file.parent.mkdir(parents=True)
    for size in range(0, len(content) + 1, 97):
        file.write_bytes(content[:size])
        found.append(last_step(tmp_path, 'a'))
    assert found == sorted(found)
    assert set(found) >= {-1, 5}
