"""``tools/compare_quick.sh``: what it runs, with an interpreter that only pretends to train."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from vitbackbones.commands.test import table
from vitbackbones.configuration.names import config_files

SCRIPT = Path(__file__).parents[2] / 'tools' / 'compare_quick.sh'
PYTHON = """\
#!/usr/bin/env bash
case $1 in
  -c) echo 110 ;;
  */train.py) echo "$2" >> configs ;;
  */test.py) echo; echo {printed} ;;
esac
"""


@pytest.fixture
def compare(tmp_path):
    def run(printed):
        python = tmp_path / 'python'
        python.write_text(PYTHON.format(printed=shlex.quote(printed)))
        python.chmod(0o755)
        environment = {**os.environ, 'PYTHON': str(python), 'SEEDS': '0', 'OUT': 'out'}
        words = ['bash', str(SCRIPT), '10', 'bccd', 'camvid']
        return subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


def test_configs_are_named_and_the_metrics_of_their_tests_are_shown(compare, tmp_path):
    lines = compare(table({'coco/bbox_mAP': 0.357, 'mIoU': 26.84})).stdout.splitlines()
    names = [line.partition(',')[0] for line in lines]
    assert len(names) == 4
    assert {*names} <= {*config_files()}
    assert {*(tmp_path / 'configs').read_text().split()} == {*names}
    assert all(line.endswith('in all, coco/bbox_mAP 0.357 mIoU 26.840') for line in lines)


def test_a_test_without_metrics_ends_the_comparison(compare, tmp_path):
    assert compare('Traceback').returncode == 1
    assert not [*tmp_path.glob('out/*/*.result')]
