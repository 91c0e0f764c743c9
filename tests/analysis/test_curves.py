"""Curves from the logs of runs, whatever has happened to these."""

import json
import math

from vitbackbones.analysis.curves import draw, measure


def write_log(work_dir, start, records):
    file = work_dir / start / 'vis_data' / 'scalars.json'
    file.parent.mkdir(parents=True)
    file.write_text(''.join(json.dumps(record) + '\n' for record in records))
    return file


def trained(step, loss, **more):
    return {'lr': 0.1, 'loss': loss, 'time': 0.5} | more | {'iter': step, 'step': step}


def by_epoch(steps, loss):
    """The records of epochs of two iterations, each evaluated."""
    for step in steps:
        yield trained(step, loss, epoch=(step + 1) // 2)
        if step % 2 == 0:
            yield {'accuracy/top1': 100 * loss, 'time': 0.1, 'step': step // 2}


def curve(rows, quantity):
    found = [row for row in rows if row['quantity'] == quantity]
    return {row['step']: row['value'] for row in found}


def named(rows, model='run'):
    return [{'model': model, **row} for row in rows]


def titles(figure):
    return [axes.get_title() for axes in figure.axes if axes.lines]


def legend(figure, title):
    (axes,) = [axes for axes in figure.axes if axes.get_title() == title]
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_a_resumed_run_is_one_curve_without_what_was_trained_again(tmp_path):
    write_log(tmp_path, '20260101_000001', by_epoch(range(1, 7), 0.1))
    write_log(tmp_path, '20260101_000002', by_epoch(range(3, 6), 0.2))  # from the first epoch's end
    rows = measure(tmp_path)
    assert curve(rows, 'loss') == {1: 0.1, 2: 0.1, 3: 0.2, 4: 0.2, 5: 0.2}
    assert curve(rows, 'accuracy/top1') == {1: 10.0, 2: 20.0}
    assert {row['unit'] for row in rows if row['split'] == 'val'} == {'epoch'}


def test_evaluations_of_a_loop_without_epochs_stand_at_their_iterations(tmp_path):
    records = [trained(1, 0.5), {'mIoU': 1.0, 'step': 1}, trained(2, 0.5), {'mIoU': 2.0, 'step': 0}]
    write_log(tmp_path, 'a', records)  # 0: counted by an epoch that such a loop does not have
    rows = [row for row in measure(tmp_path) if row['quantity'] == 'mIoU']
    assert [(row['unit'], row['step']) for row in rows] == [('iteration', 1), ('iteration', 2)]


def test_one_run_has_a_panel_for_each_kind_of_quantity(tmp_path):
    inner = {'d0.loss_bbox': 1.0, 'aux_1.loss_ce': 1.0, 'grad_norm': 9.0, 'base_lr': 0.1}
    metrics = {'coco/bbox_mAP': 0.3, 'coco/bbox_mAP_s': -1, 'mIoU': 4.0, 'step': 2}
    records = [*(trained(i, 1.0, loss_cls=0.5, **inner) for i in (1, 2)), metrics]
    write_log(tmp_path, 'a', [*records, {'coefficients/blocks.0.shortcut.branch': 1, 'step': 2}])
    figure = draw(named(measure(tmp_path)))
    assert titles(figure)[:4] == ['loss', 'learning rate', 'gradient norm', 'validation, coco']
    assert legend(figure, 'loss') == ['loss', 'loss_cls']
    assert legend(figure, 'learning rate') == ['lr = base_lr']
    assert legend(figure, 'validation, coco') == ['bbox_mAP']


def test_many_equal_lines_do_not_make_the_legend_wider_than_the_picture(tmp_path):
    zeros = {f'coco/{part}_mAP{end}': 0.0 for part in ('bbox', 'segm') for end in ('', '_s', '_m')}
    write_log(tmp_path, 'a', [trained(1, 1.0), {**zeros, 'step': 1}, trained(2, 0.9)])
    figure = draw(named(measure(tmp_path)))
    assert legend(figure, 'validation, coco') == ['bbox_mAP = bbox_mAP_s = ...']


def test_several_runs_lie_over_each_other_for_each_quantity(tmp_path):
    rows = []
    for name, records in {'first': [trained(1, 0.1)], 'second': by_epoch(range(5), 0.1)}.items():
        write_log(tmp_path / name, 'a', records)
        rows += named(measure(tmp_path / name), name)
    figure = draw(rows)
    assert titles(figure) == ['loss', 'learning rate: lr', 'validation, accuracy: top1']
    assert legend(figure, 'loss') == ['first', 'second']
    assert legend(figure, 'validation, accuracy: top1') == ['second']
    colors = {axes.lines[-1].get_color() for axes in figure.axes if axes.lines}
    assert len(colors) == 1  # of the second run, in every panel


def test_values_that_are_not_finite_are_counted(tmp_path):
    losses = {1: 1.0, 2: math.nan, 3: math.inf, 4: 100.0}
    write_log(tmp_path, 'a', [trained(step, loss) for step, loss in losses.items()])
    figure = draw(named(measure(tmp_path)))
    assert legend(figure, 'loss') == ['loss (2 not plotted)']
    (line,) = figure.axes[0].lines
    assert [math.isnan(value) for value in line.get_ydata()] == [False, True, True, False]
