"""The doctor names what is wrong with made-up environments, and is content with a good one."""

from dataclasses import replace

import pytest

from vitbackbones.configuration.doctor import findings as checks
from vitbackbones.configuration.doctor.facts import PROBES, Environment, Installed, Probe
from vitbackbones.configuration.doctor.findings import examine, installation_fault

CLONE = Installed('0.1.0', '/home/me/vitbackbones')
ONEDL = dict.fromkeys(checks.ONEDL, '1.0')
VERSIONS = {
    'numpy': '2.2.6',
    'opencv-python-headless': '4.12.0.88',
    'pycocotools': '2.0.11',
    'torch': '2.11.0',
    **ONEDL,
}
ANSWERS = {
    'cv2': {'version': '4.12.0', 'headless': True},
    'torch': {'cuda': '13.0', 'gpus': [], 'fault': '', 'mps': False},
}
NO_DRIVER = 'The NVIDIA driver on your system is too old (found version 11040).'
NO_GL = 'ImportError: libGL.so.1: cannot open shared object file: No such file or directory'
OLD_NUMPY = 'ValueError: numpy.dtype size changed, may indicate binary incompatibility'


def packages(torch='2.11.0', torchvision='0.26.0', without=(), **versions):
    named = {name.replace('_', '-'): version for name, version in versions.items()}
    found = {name: Installed(version) for name, version in {**VERSIONS, **named}.items()}
    found['torch'] = Installed(torch)
    found['torchvision'] = Installed(torchvision, requires=('numpy', 'torch==2.11.0'))
    return {name: there for name, there in found.items() if name not in without}


def probes(answers=(), **errors):
    answers = {**ANSWERS, **dict(answers)}
    return {name: Probe(errors.get(name, ''), answers.get(name, {})) for name in PROBES}


def on_torch(**answers):
    return probes({'torch': {**ANSWERS['torch'], **answers}})


HEALTHY = Environment(
    python=(3, 12),
    packages=packages(),
    probes=probes(),
    running=CLONE,
    clone=CLONE,
    free={'/home/me': 50 * 2**30},
)
# The check that answers, what is wrong, a part of the message, a part of what to type.
BROKEN = [
    ('python', {'python': (3, 9)}, '3.9 is not supported', 'python3.12 -m venv'),
    (
        'vitbackbones',
        {'running': Installed('0.0.9', '/usr/lib/site-packages')},
        '0.0.9 from /usr/lib/site-packages is imported, and /home/me/vitbackbones has 0.1.0',
        "--editable '/home/me/vitbackbones'",
    ),
    (
        'openmmlab',
        {'packages': packages(mmdet='3.3.0')},
        'onedl-mmpretrain 1.0 and mmdet 3.3.0 install the same modules',
        'onedl-mmpretrain mmdet && pip install --no-deps onedl-mmengine',
    ),
    (
        'toolboxes',
        {'probes': probes(mmdet='AssertionError: MMCV==2.2.0 is used but incompatible.')},
        'import mmdet: AssertionError: MMCV==2.2.0',
        'pip install --upgrade',
    ),
    (
        'toolboxes',
        {'probes': probes(mmseg="ModuleNotFoundError: No module named 'ftfy'")},
        "import mmseg: ModuleNotFoundError: No module named 'ftfy'",
        'pip install ftfy',
    ),
    (
        'torch',
        {'probes': probes(torch='OSError: libcudart.so.13: cannot open shared object file')},
        'torch 2.11.0: OSError: libcudart',
        "pip install --force-reinstall 'torch==2.11.0' torchvision",
    ),
    (
        'torch',
        {'probes': on_torch(fault=NO_DRIVER), 'gpu': True},
        'for CUDA 13.0 does not find the GPU: The NVIDIA driver on your system is too old',
        'nvidia-smi',
    ),
    (
        'torch',
        {'probes': on_torch(cuda=None), 'gpu': True, 'packages': packages(torch='2.11.0+cpu')},
        '2.11.0+cpu is built without CUDA',
        'pip install --force-reinstall torch',
    ),
    (
        'torchvision',
        {'packages': packages(torch='2.13.0+cpu')},
        'torchvision 0.26.0 is made for torch 2.11.0, and torch is 2.13.0',
        "--upgrade 'torch==2.13.0' torchvision --index-url https://download.pytorch.org/whl/cpu",
    ),
    (
        'torchvision',
        {'probes': probes(torchvision='RuntimeError: operator torchvision::nms does not exist')},
        'operator torchvision::nms does not exist',
        '--force-reinstall --no-deps torch==2.11.0 torchvision==0.26.0',
    ),
    (
        'numpy',
        {'probes': probes(pycocotools=OLD_NUMPY)},
        'pycocotools is built for another numpy than 2.2.6',
        '--force-reinstall --no-deps pycocotools',
    ),
    (
        'opencv',
        {'packages': packages(opencv_python='4.10.0.84')},
        'opencv-python 4.10.0.84, opencv-python-headless 4.12.0.88 install the same files',
        'pip install --no-deps --force-reinstall opencv-python-headless==4.12.0.88',
    ),
    (
        'opencv',
        {
            'packages': packages(opencv_python='4.12.0.88', without=['opencv-python-headless']),
            'probes': probes(cv2=NO_GL),
        },
        'opencv-python 4.12.0.88 needs a library for displays: ImportError: libGL.so.1',
        'pip uninstall -y opencv-python && pip install --no-deps --force-reinstall',
    ),
    ('disk', {'free': {'/': 2**40, '/tmp': 2**30}}, '1.0 GB free in /tmp', 'pip cache purge'),
    ('disk', {'read_only': ('/home/me/.cache/torch',)}, '/home/me/.cache/torch', 'TORCH_HOME'),
]
BETTER = [
    ('openmmlab', {'packages': packages(without=ONEDL)}, 'models by name work'),
    (
        'vitbackbones',
        {'running': Installed('0.1.0', '/usr/lib/site-packages')},
        'is imported, and /home/me/vitbackbones has 0.1.0',
    ),
    (
        'opencv',
        {'packages': packages(opencv_python='4.12.0.88')},
        'the one in use is 4.12.0, headless',
    ),
    (
        'torch',
        {'visible_gpus': '', 'gpu': True},
        'CUDA_VISIBLE_DEVICES hides all GPUs',
    ),
]


def test_nothing_is_wrong_with_a_good_environment():
    assert {each.state for each in examine(HEALTHY)} == {'ok'}


@pytest.mark.parametrize(('check', 'changes', 'text', 'remedy'), BROKEN)
def test_what_is_wrong_is_named_with_what_to_type(check, changes, text, remedy):
    found = {each.check: each for each in examine(replace(HEALTHY, **changes))}
    assert found[check].state == 'problem'
    assert text in found[check].text
    assert remedy in found[check].remedy


@pytest.mark.parametrize(('check', 'changes', 'text'), BETTER)
def test_what_works_and_could_be_better_is_a_note(check, changes, text):
    found = {each.check: each for each in examine(replace(HEALTHY, **changes))}
    assert found[check].state == 'note'
    assert text in found[check].text
    assert not any(each.state == 'problem' for each in found.values())


def test_the_gpu_of_a_mac_is_named():
    found = {each.check: each for each in examine(replace(HEALTHY, probes=on_torch(mps=True)))}
    assert found['torch'].text == "2.11.0 on Apple's GPU (mps)"


@pytest.mark.parametrize(
    ('there', 'fault'),
    [
        (packages(), ''),
        (packages(mmcv='2.1.0'), 'install the same modules'),
        (packages(torchvision='0.25.0', torch='2.10.0'), 'made for torch 2.11.0'),
    ],
)
def test_metadata_alone_explains_an_import_that_failed(monkeypatch, there, fault):
    monkeypatch.setattr(checks, 'installed_packages', lambda: there)
    assert fault in installation_fault()
    assert bool(fault) == bool(installation_fault())
