"""The README's way to add a backbone, done exactly as it says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = re.compile(r'Save as `([^`]+)`[^\n]*:\n\n```python\n(.*?)```', re.DOTALL)


def test_the_example_backbone_trains(tmp_path):
    files = dict(FILES.findall((ROOT / 'README.md').read_text()))
    assert set(files) == {'my_backbone.py', 'configs/detr_my_backbone_shapes.py'}
    config = files['configs/detr_my_backbone_shapes.py']
    assert len(config.strip().splitlines()) <= 10
    # beside a copy of the bases, so that the clone stays as it is
    shutil.copytree(ROOT / 'configs', tmp_path / 'configs')
    (tmp_path / 'configs/detr_my_backbone_shapes.py').write_text(config)
    (tmp_path / 'my_backbone.py').write_text(files['my_backbone.py'])
    command = [
        sys.executable,
        ROOT / 'tools/train.py',
        'configs/detr_my_backbone_shapes.py',
        '--smoke',
    ]
    result = subprocess.run(
        command,
        cwd=tmp_path,
        env={'PYTHONPATH': str(tmp_path), 'OMP_NUM_THREADS': '1', 'PATH': ''},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert 'smoke test passed' in result.stdout
