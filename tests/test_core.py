"""What needs torch only works where no package of OpenMMLab can be imported."""

import json
import subprocess
import sys
from pathlib import Path

from vitbackbones.backbones.names import MODELS

from .conftest import shallow

EARLIER = Path(__file__).parent / 'commands' / 'earlier_run' / 'epoch_1.pth'

BLOCKED = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {'mmengine', 'mmcv', 'mmdet', 'mmseg', 'mmpretrain',
                                      'torchvision', 'cv2', 'PIL', 'pycocotools', 'tqdm', 'scipy'}:
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)

sys.meta_path.insert(0, Blocker())
import logging
import torch
import vitbackbones
"""
EVERYTHING = """
from safetensors.torch import save_file
import json
from vitbackbones.weights.filling import load_pretrained
from vitbackbones.weights.read.load import load_file

folder, archs = sys.argv[1], json.loads(sys.argv[2])
image = torch.rand(1, 3, 64, 64)
for name in vitbackbones.list_models():
    arch = archs[name]
    model = vitbackbones.create_model(name, num_classes=3, img_size=64, arch=arch).eval()
    torch.save({'state_dict': model.state_dict()}, f'{folder}/{name}.pth')
    save_file(model.state_dict(), f'{folder}/{name}.safetensors')
    with torch.no_grad():
        wanted = model(image)
        torch.testing.assert_close(model.fuse_for_inference()(image), wanted, atol=1e-4, rtol=1e-4)
        for file in (f'{name}.pth', f'{name}.safetensors'):
            other = vitbackbones.create_model(
                name, num_classes=3, img_size=64, arch=arch, checkpoint=f'{folder}/{file}'
            )
            assert torch.equal(other.eval()(image), wanted), file
            load_pretrained(other.backbone, f'{folder}/{file}')
print(len(vitbackbones.list_models()))
"""


def run(code, *arguments):
    command = [sys.executable, '-c', BLOCKED + code, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    return result


def test_every_model_is_built_saved_filled_and_fused(tmp_path):
    archs = {name: shallow(entry[0]) for name, entry in MODELS.items()}
    result = run(EVERYTHING, tmp_path, json.dumps(archs))
    assert int(result.stdout) > 40
    assert result.stderr == ''  # information is for whoever asks


def test_a_checkpoint_of_mmengine_is_read_and_its_warnings_are_seen(tmp_path):
    """One of a run, with the history of its losses, and of other classes."""
    code = """
from vitbackbones.weights.read.load import load_file
checkpoint = load_file(sys.argv[1])
history = checkpoint['message_hub']['log_scalars']['train/loss']
assert len(history.values) == 3, history
model = vitbackbones.create_model(
    'aug_vit_s', 5, img_size=48, arch=dict(embed_dims=8, depth=1, num_heads=2),
    checkpoint=f'file://{sys.argv[1]}')
key = 'backbone.norm.weight'
assert torch.equal(model.state_dict()[key], checkpoint['state_dict'][key])
"""
    assert 'head.fc.weight (3, 8) for (5, 8)' in run(code, EARLIER).stderr


def test_the_import_is_light():
    """Each of these takes as long as everything else together."""
    code = 'import torch, sys; before = set(sys.modules); import vitbackbones;'
    result = subprocess.run(
        [sys.executable, '-c', f'{code} print(*set(sys.modules) - before)'],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    imported = set(result.stdout.split())
    assert 'vitbackbones' in imported
    assert not imported & {'mmengine', 'torchvision', 'PIL', 'cv2', 'torch._dynamo'}
