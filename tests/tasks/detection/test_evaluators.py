"""A metric that reads annotations of its own must read those of its data set."""

import shutil

import pytest
from mmengine.config import Config

from vitbackbones.configuration.data_paths import locate_data
from vitbackbones.data.checks.findings import Findings
from vitbackbones.errors import InputError
from vitbackbones.preparing.data_sets import check_data
from vitbackbones.tasks.detection.evaluators import check_evaluators

from ...preparing import conftest
from ...shapes_configs import dataset, make_config

annotations = conftest.annotations  # the fixture

SPLITS = ('train', 'val')


def checked(config):
    return check_data(locate_data(config, None, SPLITS), SPLITS)


def refused(config):
    with pytest.raises(InputError) as caught:
        checked(config)
    return str(caught.value)


def metric(file, **changes):
    return {'type': 'CocoMetric', 'ann_file': str(file), **changes}


def test_a_data_set_alone_was_changed(annotations):
    prefix = {'img': 'images/train'}
    text = refused(make_config(val=dataset('train', data_prefix=prefix, test_mode=True)))
    old, new = annotations / 'instances_val.json', annotations / 'instances_train.json'
    named = f'val_evaluator.ann_file is {old}, but val_dataloader.dataset.ann_file is {new}. '
    assert text.startswith(f'{named}The two differ in images, annotations')
    assert text.endswith(f'for example val_evaluator.ann_file={new}.')


def test_every_metric_of_a_list_is_compared(annotations):
    right = metric(annotations / 'instances_val.json')
    wrong = metric(annotations / 'instances_train.json', type='mmdet.CocoMetric')
    assert checked(make_config(val_evaluator=[right, right])) == []
    for evaluator, place in (([right, wrong], '1'), ({'metrics': [right, wrong]}, 'metrics.1')):
        text = refused(make_config(val_evaluator=evaluator))
        assert text.startswith(f'val_evaluator.{place}.ann_file is ')


@pytest.mark.parametrize(
    'settings',
    [
        {},
        {'ann_file': 'bucket/val.json', 'backend_args': {'backend': 'petrel'}},
        {'ann_file': '{root}/copy.json'},
        {'ann_file': '{root}/instances_train.json', 'format_only': True, 'outfile_prefix': 'o'},
    ],
)
def test_what_needs_no_comparison(annotations, settings):
    """No file on a disk, a copy of the right one, predictions that are written alone."""
    shutil.copy(annotations / 'instances_val.json', annotations / 'copy.json')
    if 'ann_file' in settings:
        settings = settings | {'ann_file': settings['ann_file'].format(root=annotations)}
    assert checked(make_config(val_evaluator={'type': 'CocoMetric', **settings})) == []


def test_a_missing_file(annotations):
    text = refused(make_config(val_evaluator=metric('annotations/instances_val.json')))
    right = annotations / 'instances_val.json'
    assert text.startswith('val_evaluator.ann_file: no such file: ')
    assert 'is not relative to data_root' in text
    assert text.endswith(f'Set val_evaluator.ann_file={right}, the file of val_dataloader.dataset.')


@pytest.mark.parametrize(
    ('model', 'said'),
    [
        ({'test_cfg': {'max_per_img': 50}}, '2 images for val or test with more than 50 objects'),
        (
            {'test_cfg': {'max_per_img': 300}},
            '1 image for val or test with more than 100 objects',
        ),
        ({'test_cfg': {'rcnn': {'max_per_img': -1}}}, 'up to 225: bbox_mAP counts the best 100'),
        ({'num_queries': 20}, 'the model predicts at most 20 (model.num_queries)'),
    ],
)
def test_more_objects_than_are_found_or_counted_are_said(model, said):
    many = Findings(files=['a'], numbers=[3, 60, 225])
    found = {'train_dataloader.dataset': many, 'val_dataloader.dataset': many}
    (text,) = check_evaluators(Config({'model': model}), found)
    assert said in text
    assert 'proposal_nums' in text
    few = {'train_dataloader.dataset': many, 'val_dataloader.dataset': Findings(numbers=[20])}
    assert check_evaluators(Config({'model': model}), few) == []
