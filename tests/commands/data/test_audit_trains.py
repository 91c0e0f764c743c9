"""Audits whose models are trained, for a few steps that teach them nothing."""

import csv
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from vitbackbones.commands.data import audit, audit_plan, folds

from ...importing.forms import masks
from ..conftest import TINY
from .test_audit import pets as pets
from .test_audit import read, write


@pytest.fixture
def short(monkeypatch):
    """Trainings of four steps, whatever they reach and however little they say."""
    monkeypatch.setattr(audit, 'LEAST_OF_BOXES', 0)
    monkeypatch.setattr(audit, 'LEAST_OF_REGIONS', 0)
    monkeypatch.setattr(audit.Quick, 'steps_in', lambda quick, folder, seconds: 4)
    monkeypatch.setattr(audit.Quick, 'step_time', lambda quick, folder: 0.1)
    for name in ('DETECTOR', 'INSTANCE', 'SEGMENTOR'):
        monkeypatch.setattr(audit, name, replace(getattr(audit, name), least=-1))


@pytest.mark.threads
def test_boxes_are_audited_and_pictures_picked_that_are_not_labeled(run, pets, short, tmp_path):
    rng = np.random.default_rng(9)
    (tmp_path / 'new').mkdir()
    for number in range(3):
        pixels = rng.integers(0, 255, (6, 9, 3), np.uint8)
        picture = Image.fromarray(pixels).resize((96, 64), Image.Resampling.BICUBIC)
        picture.save(tmp_path / 'new' / f'{number}.png')
    shutil.copyfile(pets / 'images' / '3.png', tmp_path / 'new' / 'known.png')
    result = run('audit', pets, '--out', 'out', '--folds', 2, '--pick', 2, 'new')
    assert '1 of 4 images' in result.out
    rows = [*csv.DictReader((tmp_path / 'out' / 'pick.csv').read_text().splitlines())]
    assert len({row['file'] for row in rows}) == 2
    assert not any('known' in row['file'] for row in rows)
    # what was trained is not trained again
    again = run('audit', pets, '--out', 'out', '--folds', 2)
    assert 'Iter(train)' not in again.out
    assert (tmp_path / 'out' / 'faults.json').is_file()


@pytest.mark.threads
def test_masks_are_audited(run, short, tmp_path):
    masks(tmp_path / 'data', 8)
    run('audit', 'data', '--out', 'out', '--folds', 2)
    content = json.loads((tmp_path / 'out' / 'faults.json').read_text())
    assert [each['name'] for each in content['categories']] == ['ground', 'thing']
    assert content['annotations']  # four steps teach nothing
    assert all(each['segmentation'] for each in content['annotations'])
    assert 'looks like' in (tmp_path / 'out' / 'audit.html').read_text()


@pytest.mark.threads
def test_outlines_of_all_forms_are_audited_and_those_that_cannot_be_used_are_boxes(
    run, pets, short, tmp_path
):
    content = read(pets)
    half = 64 * 48
    forms = [
        {'segmentation': [[10, 12, 34, 12, 34, 32], [12, 20, 20, 20, 20, 31]]},  # they overlap
        {'segmentation': {'size': [64, 96], 'counts': [64 * 20, 64 * 9, 64 * 67]}},
        {'segmentation': {'size': [64, 96], 'counts': [0, half, half]}, 'iscrowd': 1},
        *({'segmentation': []}, {'segmentation': [[1, 2, 3, 4]]}, {'segmentation': None}, {}),
    ]
    for number, each in enumerate(content['annotations']):
        x, y, w, h = each['bbox']
        each |= {'segmentation': [[x, y, x + w, y, x + w, y + h]]} if number % 3 else {}
    for number, form in enumerate(forms):
        content['annotations'][3 * number] |= form
    write(pets, content)
    result = run('audit', pets, '--out', 'out', '--folds', 2)
    assert 'fold 2 of 2: coco/bbox_mAP_50' in result.out
    assert (tmp_path / 'out' / 'fold_1_run' / 'found.segm.json').is_file()
    content = json.loads((tmp_path / 'out' / 'faults.json').read_text())
    assert all(len(each) >= 6 for ann in content['annotations'] for each in ann['segmentation'])
    assert 'Likely label errors' in (tmp_path / 'out' / 'audit.html').read_text()


@pytest.mark.threads
def test_a_detector_that_counts_epochs_is_trained_in_place_of_the_quick_one(
    run, pets, tmp_path, monkeypatch
):
    config = tmp_path / 'mine.py'
    config.write_text(f'_base_ = {str(TINY)!r}\nmodel = dict(backbone=dict(init_cfg=None))\n')
    for module, name, value in (
        *((folds, 'LEAST', 4), (folds, 'WARM', 5), (audit_plan, 'PROBE', 12)),
        (audit, 'of_config', lambda *given: replace(folds.of_config(*given), least=-1)),
    ):
        monkeypatch.setattr(module, name, value)
    result = run('audit', pets, '--out', 'out', '--folds', 2, '--minutes', 0.01, '--config', config)
    assert 'fold 2 of 2: coco/bbox_mAP_50' in result.out
    plan = json.loads((tmp_path / 'out' / 'plan.json').read_text())
    assert (plan['config'], plan['steps']) == (str(config), 6 * plan['epochs'])
    assert (tmp_path / 'out' / 'fold_1_run' / f'epoch_{plan["epochs"]}.pth').is_file()
    assert (tmp_path / 'out' / 'faults.json').is_file()
