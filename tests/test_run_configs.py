"""Every run config: its header, its keys, parts that fit, the size it names, and its smoke test."""

import re

import numpy as np
import pytest
import torch
from mmengine.registry import DATASETS, DefaultScope

from vitbackbones.configuration.classes import check_classes, class_counts
from vitbackbones.configuration.data_paths import datasets, loaders
from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.names import shown_path
from vitbackbones.openmmlab.widths import with_widths
from vitbackbones.preparing.agreement import check_normalization, require_agreement
from vitbackbones.preparing.trial import build_model, misfits
from vitbackbones.running import smoke

from .shipped import NAMES, PRINTED, header, numbers, shipped

pytestmark = pytest.mark.compat
OF_PAPERS = ('_imagenet', '_coco', '_ade20k')  # ends of names
OTHER_MEAN = 'setr_pup_vit_l_ade20k'  # than its weights saw, as in SETR's own config


@pytest.mark.parametrize('name', NAMES)
def test_a_run_config(name, work_dirs):
    config, text = with_widths(shipped(name)), header(name)
    check_header(name, text)
    check_published(name, text)
    lint(config)
    require_agreement(config)
    check_classes(config, ('train', 'val', 'test'))
    assert len({count for _, count in class_counts(config)}) == 1, 'one number of classes'
    assert bool(check_normalization(config)) == (name == OTHER_MEAN), 'mean of the weights'
    start = config.model.get('init_cfg') or config.model.backbone.get('init_cfg') or {}
    assert start.get('checkpoint', '') in text, 'the header names the weights'
    assert start or not name.endswith(('_coco', '_ade20k')), 'starts from weights'
    check_model(config, text, sized=name.endswith(OF_PAPERS))
    config.work_dir = str(work_dirs / name.rpartition('_')[2])
    check_smoke(config)


# ---------------------------------------------------------------------------- header


def check_header(name, text):
    """What it is in a line, the command, hardware, and where its number comes from."""
    assert text.splitlines()[0].endswith('.')
    assert f'python tools/train.py {shown_path(name)}' in text
    assert 'Hardware:' in text
    if name.endswith(OF_PAPERS):
        assert re.search('[Pp]ublished:|Reproduces: nothing|nothing published', text)


def check_published(name, text):
    """The header has what the table of published results has."""
    expected = [result for result in PRINTED.RESULTS if result.config == name]
    values = '\n'.join(result.value for result in expected)
    assert numbers(text, 'Published:') == numbers(values, '')
    plain = re.sub(r' \([^)]*\)', '', ' '.join(text.split()))  # without authors and years
    assert [result for result in expected if result.source not in plain] == []


# ---------------------------------------------------------------------------- model

MODELS = {}  # what was found of a model, which several recipes train


def check_model(config, text, sized):
    """Its parts fit, a classifier gives its classes, and the header says its size."""
    aside = ('data_preprocessor', 'train_cfg')
    parts = {name: part for name, part in config.model.items() if name not in aside}
    key = repr(parts)
    if key not in MODELS:
        MODELS[key] = look_at(config)
    wrong, total, trained, logits = MODELS[key]
    assert wrong == []
    assert logits in (None, (1, parts.get('head', {}).get('num_classes')))
    if sized:
        assert f'Parameters: {total:.3f} M' in text
    if sized and config.default_scope == 'mmdet':
        assert total == trained or f'{trained:.3f} of them trained' in text


def look_at(config):
    """Return misfits, millions of parameters, of those that learn, and the shape of logits."""
    model = build_model(config)
    wrong = list(misfits(config, model))
    total = sum(p.numel() for p in model.parameters()) / 1e6
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad) / 1e6
    logits = None
    performer = 'T2T' in config.model.backbone.type and 'tokens' not in config.model.backbone
    # a Performer leaves autocast, which meta has not
    if config.default_scope == 'mmpretrain' and not performer:
        device = next(model.parameters()).device
        side = config.model.backbone.get('img_size', 224)
        logits = tuple(model(torch.empty(1, 3, side, side, device=device)).shape)
    return wrong, total, trained, logits


# ---------------------------------------------------------------------------- smoke test

READ = set()  # the data of smoke tests that were read, which several recipes have


@pytest.fixture(scope='module')
def work_dirs(tmp_path_factory):
    """One for all runs on a data set, so that its pictures are drawn once."""
    return tmp_path_factory.mktemp('work_dirs')


def check_smoke(config):
    """``--smoke`` leaves model and optimizer as they are and has small pictures for the model."""
    before = smoke.lower_thresholds(config)
    config = smoke.as_smoke_test(config)
    assert config.optim_wrapper == before.optim_wrapper
    padded = config.default_scope == 'mmseg' or 'panoptic_head' in config.model
    resized = ('data_preprocessor', 'test_cfg') if padded else ()
    for key in {*config.model} - {*resized}:
        assert config.model[key] == before.model[key], key
    _, count = next(class_counts(config))
    key = repr([[*datasets(config)], count])
    if key not in READ:
        READ.add(key)
        assert all(
            np.min(size) <= smoke.SHORT_SIDE for _, part in datasets(config) for size in sizes(part)
        )
        with DefaultScope.overwrite_default_scope(config.default_scope):
            for _, loader in loaders(config):
                check_pictures(DATASETS.build(loader.dataset), count)


def sizes(node):
    """All values in ``node`` that are image sizes."""
    for key, value in enumerate(node) if isinstance(node, list | tuple) else node.items():
        if key in smoke.SIZE_KEYS:
            yield from value if np.ndim(value) == 2 else [value]
        elif isinstance(value, dict | list | tuple):
            yield from sizes(value)


def check_pictures(dataset, count):
    """They are small, and have labels that the model knows."""
    first = dataset[0]
    assert first['inputs'].shape[-1] <= 2 * smoke.SHORT_SIDE
    labels = labels_of(dataset, first['data_samples'])
    assert 1 <= len(labels) <= 4
    assert max(labels) < count
    if not hasattr(dataset, 'get_gt_labels'):  # a classifier may know more classes than are drawn
        assert count == len(dataset.metainfo['classes'])


def labels_of(dataset, sample):
    """Return the labels of the first picture of mmdet and mmseg, of all pictures of mmpretrain."""
    if 'gt_sem_seg' in sample and hasattr(sample.gt_sem_seg, 'data'):
        return {*np.unique(sample.gt_sem_seg.data).tolist()} - {255}
    dataset = getattr(dataset, 'dataset', dataset)  # of one that mixes pictures
    if hasattr(dataset, 'get_cat_ids'):
        return {*dataset.get_cat_ids(0)}
    return {*dataset.get_gt_labels()}
