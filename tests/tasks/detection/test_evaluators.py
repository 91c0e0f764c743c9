"""A metric that reads annotations of its own must read those of its data set."""

import shutil

import pytest

from vitbackbones.configuration.checks.data_sets import check_data
from vitbackbones.configuration.data_paths import evaluators, locate_data
from vitbackbones.errors import InputError

from ...configuration.checks import conftest
from ...training.shapes_configs import dataset, make_config

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


def test_the_paths_of_metrics():
    one, two = {'type': 'A'}, {'type': 'B'}
    config = make_config(val_evaluator=one, test_evaluator={'metrics': [one, two]})
    assert dict(evaluators(config)) == {
        'val_evaluator': one,
        'test_evaluator.metrics.0': one,
        'test_evaluator.metrics.1': two,
    }


def test_a_data_set_alone_was_changed(annotations):
    prefix = {'img': 'images/train'}
    text = refused(make_config(val=dataset('train', data_prefix=prefix, test_mode=True)))
    old, new = annotations / 'instances_val.json', annotations / 'instances_train.json'
    assert text.startswith(
        f'val_evaluator.ann_file is {old}, but val_dataloader.dataset.ann_file is {new}; they '
        'differ in images, annotations, so predictions'
    )
    assert text.endswith(
        f'Set both keys to the same file, for example val_evaluator.ann_file={new}.'
    )


@pytest.mark.parametrize('kind', ['CocoMetric', 'mmdet.CocoMetric'])
def test_every_metric_of_a_list_is_compared(annotations, kind):
    right = metric(annotations / 'instances_val.json')
    wrong = metric(annotations / 'instances_train.json', type=kind)
    assert checked(make_config(val_evaluator=[right, right])) == []
    text = refused(make_config(val_evaluator=[right, wrong]))
    assert text.startswith('val_evaluator.1.ann_file is ')


def test_a_copy_is_the_same(annotations):
    shutil.copy(annotations / 'instances_val.json', annotations / 'copy.json')
    assert checked(make_config(val_evaluator=metric(annotations / 'copy.json'))) == []


def test_predictions_that_are_only_written_are_not_compared(annotations):
    other = metric(annotations / 'instances_train.json', format_only=True, outfile_prefix='o')
    assert checked(make_config(val_evaluator=other)) == []


@pytest.mark.parametrize(
    'elsewhere',
    [
        {},
        {'ann_file': 's3://bucket/val.json'},
        {'ann_file': 'bucket/val.json', 'backend_args': {'backend': 'petrel'}},
    ],
)
def test_metrics_without_a_file_on_a_disk(annotations, elsewhere):
    assert checked(make_config(val_evaluator={'type': 'CocoMetric', **elsewhere})) == []


def test_a_missing_file(annotations):
    text = refused(make_config(val_evaluator=metric('annotations/instances_val.json')))
    right = annotations / 'instances_val.json'
    assert text.startswith('val_evaluator.ann_file: no such file: ')
    assert 'does not start in data_root' in text
    assert text.endswith(f'Set val_evaluator.ann_file={right}, the file of val_dataloader.dataset.')


def test_what_is_not_used_is_not_looked_at(annotations):
    config = make_config(test_evaluator=metric('nowhere.json'))
    config.test_dataloader = config.val_dataloader
    assert checked(config) == []
