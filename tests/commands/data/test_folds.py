"""Quick models: the command that trains them, and how long they are trained."""

from pathlib import Path

import pytest

from vitbackbones.commands.data import folds
from vitbackbones.commands.data.folds import (
    DETECTOR,
    INSTANCE,
    LEAST,
    MOST,
    PROBE,
    SEGMENTOR,
    of_config,
    run_of,
)
from vitbackbones.errors import InputError


class Process:
    """A training that ends at once."""

    status = 0
    error = None

    def __init__(self, started):
        self.started = started
        self.was_terminated = False

    def __call__(self, command, **options):
        self.started.append((command, options))
        return self

    def wait(self, timeout=None):
        if self.error and not self.was_terminated:
            raise self.error
        return self.status

    def terminate(self):
        self.was_terminated = True


@pytest.fixture
def started(monkeypatch):
    """What was started: command and options of each."""
    started = []
    started_process = Process(started)
    monkeypatch.setattr(folds.subprocess, 'Popen', started_process)
    monkeypatch.setattr(folds, 'TRAIN', ['train'])
    monkeypatch.setattr(Process, 'last', started_process, raising=False)
    return started


def test_the_run_of_a_folder_lies_beside_it(tmp_path):
    assert run_of(tmp_path / 'fold_0') == tmp_path / 'fold_0_run'
    assert DETECTOR.found(tmp_path / 'fold_0') == tmp_path / 'fold_0_run' / 'found.bbox.json'
    assert SEGMENTOR.found(tmp_path / 'half') == tmp_path / 'half_run' / 'found.json'


def test_a_training_as_long_as_it_is_asked_for(started, tmp_path, monkeypatch):
    values = iter([None, 0.5])
    asked = []
    monkeypatch.setattr(folds, 'value_after', lambda *place: asked.append(place) or next(values))
    assert DETECTOR.train(tmp_path / 'fold_0', 800) == 0.5
    run = tmp_path / 'fold_0_run'
    assert asked == [(run, 'coco/bbox_mAP_50', 800)] * 2
    ((command, options),) = started
    assert command == [
        *('train', 'quick_detector', '--data-root', str(tmp_path / 'fold_0')),
        *('--work-dir', str(run), '--cfg-options'),
        *('train_cfg.max_iters=800', 'param_scheduler.1.end=800', 'train_cfg.val_interval=800'),
        'default_hooks.checkpoint.interval=100',
        f'val_evaluator.outfile_prefix={run / "found"}',
        'model.test_cfg.score_thr=0.05',
    ]
    assert options['env'][folds.PART] == '1'
    assert options['stdout'] is None
    assert not options['stderr']


def test_a_training_that_is_over_is_not_begun_again(started, tmp_path, monkeypatch):
    monkeypatch.setattr(folds, 'value_after', lambda *place: 0.7)
    assert SEGMENTOR.train(tmp_path / 'fold_0', 800) == 0.7
    assert started == []


def test_a_stopped_training_goes_on_and_a_short_one_has_a_whole_schedule(
    started, tmp_path, monkeypatch
):
    monkeypatch.setattr(folds, 'value_after', lambda *place: None)
    monkeypatch.setattr(folds, 'latest_checkpoint', lambda run: run / 'iter_3.pth')
    assert SEGMENTOR.train(tmp_path / 'fold_0', 5) is None
    ((command, _),) = started
    assert '--resume' in command
    assert f'param_scheduler.1.end={LEAST}' in command
    assert 'default_hooks.checkpoint.interval=1' in command


@pytest.mark.parametrize(
    ('seconds', 'steps'), [(400, 200), (1, LEAST), (200, LEAST), (202, 101), (10**6, MOST)]
)
def test_steps_are_as_many_as_the_time_allows(started, tmp_path, monkeypatch, seconds, steps):
    logged = [{'step': 10, 'time': 9.0}, {'step': 11, 'time': 2.0}, {'step': 15, 'loss': 1}]
    logged += [{'step': 20, 'time': 1.0}, {'step': 25, 'time': 3.0}]
    monkeypatch.setattr(folds, 'records', lambda run: logged)
    assert DETECTOR.steps_in(tmp_path / 'fold_0', seconds) == steps
    ((command, options),) = started
    assert command[command.index('--work-dir') + 1] == str(tmp_path / 'probe')
    assert f'train_cfg.max_iters={PROBE}' in command
    assert f'train_cfg.val_interval={2 * PROBE}' in command  # which is never reached
    assert 'default_hooks.logger.interval=5' in command
    assert options['stdout'].name == str(tmp_path / 'probe.log')
    assert options['stderr'] == folds.subprocess.STDOUT


def test_a_training_that_fails_is_one_message(started, tmp_path, monkeypatch):
    monkeypatch.setattr(Process, 'status', 2)
    with pytest.raises(InputError, match=f'{tmp_path}/fold_0: cannot be trained on'):
        DETECTOR.train(tmp_path / 'fold_0', 100)


def test_a_training_that_is_interrupted_saves_a_checkpoint(started, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Process, 'error', KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        DETECTOR.train(tmp_path / 'fold_0', 100)
    assert Process.last.was_terminated
    assert 'continue with the same command' in capsys.readouterr().err


class Slow:
    """A training that is waited for three times."""

    left = 3

    def wait(self, timeout):
        self.left -= 1
        if self.left:
            raise folds.subprocess.TimeoutExpired('train', timeout)
        return 7


def test_something_is_said_when_a_training_starts_and_each_minute():
    said = []
    assert folds.wait(Slow(), lambda: said.append('4 minutes left')) == 7
    assert len(said) == 3


# ------------------------------------------------------------------------ any config


def config_file(folder, scope='mmdet', loop='max_epochs=12', evaluator="type='CocoMetric'"):
    """A config of which no part is built."""
    file = folder / 'mine.py'
    file.write_text(
        f"default_scope = '{scope}'\n"
        f'train_cfg = dict({loop}, val_interval=1)\n'
        'train_dataloader = dict(batch_size=3)\n'
        f'val_evaluator = {evaluator if evaluator.startswith("[") else f"dict({evaluator})"}\n'
    )
    return str(file)


@pytest.mark.parametrize(
    ('loop', 'unit'), [('max_epochs=12', 'epochs'), ('max_iters=9000', 'steps')]
)
def test_a_given_config_is_scaled_as_a_whole(started, tmp_path, monkeypatch, loop, unit):
    model = of_config(config_file(tmp_path, loop=loop), has_boxes=True)
    assert (model.unit, model.batch, model.draws) == (unit, 3, False)
    monkeypatch.setattr(folds, 'value_after', lambda *place: None)
    model.train(tmp_path / 'fold_0', 7)
    ((command, _),) = started
    run = tmp_path / 'fold_0_run'
    assert command == [
        *('train', str(tmp_path / 'mine.py'), '--data-root', str(tmp_path / 'fold_0')),
        *('--work-dir', str(run), f'--{unit}', '7', '--cfg-options', 'train_cfg.val_interval=7'),
        f'default_hooks.logger.log_metric_by_epoch={unit == "epochs"}',
        f'val_evaluator.outfile_prefix={run / "found"}',
    ]


@pytest.mark.parametrize(
    ('metric', 'suffix', 'measured'),
    [
        ("metric='bbox'", '.bbox.json', 'coco/bbox_mAP_50'),
        ("ann_file='x.json'", '.bbox.json', 'coco/bbox_mAP_50'),  # mmdet's default
        ("metric=['bbox', 'segm']", '.segm.json', 'coco/bbox_mAP_50'),
        ("metric='segm'", '.segm.json', 'coco/segm_mAP_50'),
    ],
)
def test_a_detector_is_asked_for_what_it_measures(tmp_path, metric, suffix, measured):
    file = config_file(tmp_path, evaluator=f"type='CocoMetric', {metric}")
    model = of_config(file, has_boxes=True)
    assert (model.suffix, model.metric) == (suffix, measured)
    assert model.draws is (suffix == '.segm.json')


def test_of_several_metrics_the_one_that_can_write_is_asked(tmp_path):
    metrics = "[dict(type='DumpDetResults'), dict(type='mmdet.CocoMetric', metric='bbox')]"
    file = config_file(tmp_path, evaluator=metrics)
    assert of_config(file, has_boxes=True).file == 'val_evaluator.1.outfile_prefix'


def test_a_segmentor_writes_regions(tmp_path):
    file = config_file(tmp_path, 'mmseg', 'max_iters=9000', "[dict(type='IoUMetric')]")
    model = of_config(file, has_boxes=False)
    assert model.asked == ('val_evaluator.0.type=vitbackbones.DoubtfulRegions',)
    assert (model.file, model.metric) == ('val_evaluator.0.found', 'mIoU')


@pytest.mark.parametrize(
    ('scope', 'kind', 'option', 'asked'),
    [
        ('mmdet', 'CocoMetric', "prefix='val'", 'val_evaluator.prefix=None'),
        ('mmdet', 'CocoMetric', "metric_items=['mAP']", 'val_evaluator.metric_items=None'),
        ('mmseg', 'IoUMetric', "iou_metrics=['mDice']", 'val_evaluator.iou_metrics=mIoU'),
    ],
)
def test_a_metric_that_is_read_is_measured_under_its_name(tmp_path, scope, kind, option, asked):
    file = config_file(tmp_path, scope, evaluator=f'type={kind!r}, {option}')
    assert of_config(file, has_boxes=scope == 'mmdet').asked[-1] == asked


def test_a_file_with_the_name_of_a_quick_config_is_trained_itself(tmp_path):
    file = Path(config_file(tmp_path)).rename(tmp_path / 'quick_detector.py')
    assert of_config(str(file), has_boxes=True).config == str(file)


@pytest.mark.parametrize('row', [DETECTOR, INSTANCE, SEGMENTOR], ids=lambda row: row.config)
def test_a_quick_config_by_name_is_that_of_an_audit_without_it(row):
    assert of_config(row.config, has_boxes=row is not SEGMENTOR) is row


@pytest.mark.parametrize(
    ('scope', 'evaluator', 'has_boxes', 'message'),
    [
        ('mmseg', "type='IoUMetric'", True, 'contains boxes, so the audit needs a detector'),
        ('mmpretrain', "type='Accuracy'", True, 'needs a detector of mmdet with CocoMetric'),
        ('mmdet', "type='VOCMetric'", True, 'with CocoMetric in its val_evaluator'),
        ('mmdet', "type='CocoMetric'", False, 'contains masks, so the audit needs a segmentor'),
        ('mmpretrain', "type='Accuracy'", False, 'of mmseg with IoUMetric in its val_evaluator'),
    ],
)
def test_a_config_of_another_kind_is_refused(tmp_path, scope, evaluator, has_boxes, message):
    file = config_file(tmp_path, scope, evaluator=evaluator)
    with pytest.raises(InputError, match=message):
        of_config(file, has_boxes)


def test_minutes_alone_limit_a_given_config(started, tmp_path, monkeypatch):
    monkeypatch.setattr(folds, 'records', lambda run: [{'step': 20, 'time': 2.0}])
    model = of_config(config_file(tmp_path), has_boxes=True)
    assert model.steps_in(tmp_path / 'few', 10**6, 5) == 500_000
    assert model.steps_in(tmp_path / 'few', 1, 5) == LEAST
    ((command, _), _) = started
    assert command[command.index('--epochs') + 1] == '5'
    assert 'train_cfg.val_interval=10' in command
