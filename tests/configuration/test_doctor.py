"""The doctor names what is wrong with made-up environments, and is content with a good one."""

import sys
from dataclasses import replace

import pytest

from vitbackbones.configuration import doctor
from vitbackbones.configuration.doctor import (
    PROBES,
    Environment,
    Installed,
    Probe,
    examine,
    installation_fault,
    installed_packages,
    probe,
)

CRASH = 'import os, signal; os.kill(os.getpid(), signal.SIGSEGV)'


@pytest.mark.parametrize(
    ('program', 'error'),
    [
        ('raise RuntimeError("operator does not exist")', 'RuntimeError: operator does not exist'),
        ('raise ImportError("numpy failed\\n\\nread this page")', 'ImportError: numpy failed'),
        (CRASH, 'the process was killed by SIGSEGV'),
        ('raise SystemExit(7)', 'exit status 7'),
    ],
)
def test_a_program_that_fails_is_named_by_its_error(program, error):
    assert probe(program).error == error


def test_answers_are_the_last_line_and_a_missing_module_is_named():
    program = 'import json\nprint("welcome")\nprint(json.dumps(dict(version="1")))'
    assert probe(program) == Probe(answers={'version': '1'})
    assert probe('import not_there.at_all').missing == 'not_there'


def install(folder, name, version, requires=()):
    info = folder / f'{name.replace("-", "_")}-{version}.dist-info'
    info.mkdir(parents=True)
    lines = [f'Name: {name}', f'Version: {version}', *(f'Requires-Dist: {r}' for r in requires)]
    (info / 'METADATA').write_text('\n'.join(['Metadata-Version: 2.1', *lines]))


def test_of_two_installations_the_one_that_is_imported_is_meant(tmp_path, monkeypatch):
    first, second = tmp_path / 'first', tmp_path / 'second'
    install(first, 'Torch_Vision', '0.26.0', ['torch==2.11.0'])
    install(second, 'torch-vision', '0.25.0')
    for name, content in (('damaged', b'\xff\xfe'), ('mmdet', b'Name: mmdet\n')):
        (first / f'{name}-1.dist-info').mkdir()
        (first / f'{name}-1.dist-info' / 'METADATA').write_bytes(content)
    monkeypatch.setattr(sys, 'path', [str(first), str(second)])
    vision = Installed('0.26.0', requires=('torch==2.11.0',))
    assert installed_packages() == {'torch-vision': vision}


ONEDL = dict.fromkeys(doctor.ONEDL, '1.0')
VERSIONS = {'opencv-python-headless': '4.12.0.88', 'pycocotools': '2.0', 'torch': '2.11.0', **ONEDL}
ANSWERS = {'cv2': {'version': '4.12.0'}, 'torch': {'cuda': '13.0', 'gpus': [], 'fault': ''}}
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


HEALTHY = Environment(packages(), probes())
MMCV = 'AssertionError: MMCV==2.2.0 is used but incompatible.'
FTFY = "ModuleNotFoundError: No module named 'ftfy'"
LIBRARY = 'OSError: libcudart.so.13: cannot open shared object file'
NMS = 'RuntimeError: operator torchvision::nms does not exist'
CPU = packages(torch='2.11.0+cpu')
PLAIN_CV = packages(opencv_python='4.12.0.88', without=['opencv-python-headless'])
AGAIN = "pip install --force-reinstall 'torch==2.11.0' torchvision"
# The check that answers, what is wrong, a part of the message, a part of what to type.
BROKEN = [
    (
        *('openmmlab', {'packages': packages(mmdet='3.3.0')}),
        'onedl-mmpretrain 1.0 and mmdet 3.3.0 install the same modules',
        'onedl-mmpretrain mmdet && pip install --no-deps onedl-mmengine',
    ),
    ('toolboxes', {'probes': probes(mmdet=MMCV)}, f'import mmdet: {MMCV}', 'install --upgrade'),
    ('toolboxes', {'probes': probes(mmseg=FTFY)}, f'import mmseg: {FTFY}', 'pip install ftfy'),
    (
        *('toolboxes', {'probes': probes(pycocotools=OLD_NUMPY)}),
        *(f'import pycocotools: {OLD_NUMPY}', '--force-reinstall --no-deps pycocotools'),
    ),
    ('torch', {'probes': probes(torch=LIBRARY)}, f'torch 2.11.0: {LIBRARY}', AGAIN),
    (
        *('torch', {'probes': on_torch(fault=NO_DRIVER), 'gpu': True}),
        *(f'for CUDA 13.0 does not find the GPU: {NO_DRIVER}', 'nvidia-smi'),
    ),
    (
        *('torch', {'probes': on_torch(cuda=None), 'gpu': True, 'packages': CPU}),
        *('2.11.0+cpu is built without CUDA', 'pip install --force-reinstall torch'),
    ),
    (
        *('torchvision', {'packages': packages(torch='2.13.0+cpu')}),
        'torchvision 0.26.0 is built for torch 2.11.0, but torch is 2.13.0',
        "'torch==2.13.0' torchvision --index-url https://download.pytorch.org/whl/cpu",
    ),
    (
        *('torchvision', {'packages': packages(torch='2.11.0+cu130', torchvision='0.26.0+cpu')}),
        'torch is built for cu130, but torchvision for cpu',
        'https://download.pytorch.org/whl/cu130',
    ),
    ('torchvision', {'probes': probes(torchvision=NMS)}, NMS, AGAIN),
    (
        *('opencv', {'packages': packages(opencv_python='4.10.0.84')}),
        'opencv-python 4.10.0.84, opencv-python-headless 4.12.0.88 install the same files',
        'pip uninstall -y opencv-python opencv-python-headless && pip install --no-deps',
    ),
    (
        *('opencv', {'packages': PLAIN_CV, 'probes': probes(cv2=NO_GL)}),
        'opencv-python 4.12.0.88: ImportError: libGL.so.1',
        'pip uninstall -y opencv-python && pip install --no-deps --upgrade opencv-python-headless',
    ),
]
BETTER = [
    ('vitbackbones', {'clone': '/home/me/clone'}, ', not /home/me/clone'),
    ('openmmlab', {'packages': packages(without=ONEDL)}, 'models by name work'),
    ('opencv', {'packages': packages(opencv_python='4.12.0.88')}, '4.12.0 is in use'),
]


def test_nothing_is_wrong_with_a_good_environment():
    found = [*examine(HEALTHY)]
    assert {each.state for each in found} == {'ok'}
    checks = ['vitbackbones', 'torch', 'torchvision', 'opencv', 'openmmlab', 'toolboxes']
    assert [each.check for each in found] == checks
    assert {each.remedy for each in found} == {''}
    alone = replace(HEALTHY, packages=packages(without=['torchvision']))
    assert 'torchvision' not in [each.check for each in examine(alone)]


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


@pytest.mark.parametrize(
    ('there', 'fault'),
    [
        (packages(), ''),
        (packages(mmcv='2.1.0'), 'install the same modules'),
        (packages(torchvision='0.25.0', torch='2.10.0'), 'built for torch 2.11.0'),
    ],
)
def test_metadata_alone_explains_an_import_that_failed(monkeypatch, there, fault):
    monkeypatch.setattr(doctor, 'installed_packages', lambda: there)
    assert fault in installation_fault()
    assert bool(fault) == bool(installation_fault())
