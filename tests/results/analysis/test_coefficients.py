"""Learned residual coefficients, from tables and checkpoints to pictures."""

import pytest
import torch

import vitbackbones
from vitbackbones.errors import InputError
from vitbackbones.results.analysis.coefficients import (
    TABLE,
    draw,
    find_coefficients,
    measure,
    write_table,
)

BLOCK = 'backbone.stages.0.blocks.1'
NAMES = [f'{BLOCK}.shortcut_mlp.branch', f'{BLOCK}.nlls.1.shortcut.identity']
ROWS = [{'epoch': i, 'iteration': 7 * i, **dict.fromkeys(NAMES, 1 + i / 10)} for i in range(3)]


@pytest.mark.parametrize(('name', 'number'), [('sret_t', 80), ('recursive_mixer_b16', 48)])
def test_the_coefficients_of_a_model_are_as_many_as_published(name, number):
    with torch.device('meta'):
        model = vitbackbones.create_model(name)
    for parameter in (names := dict(model.named_parameters())):
        names[parameter] = torch.ones(names[parameter].shape)
    found = find_coefficients(names.items())
    assert set(found.values()) == {1.0}
    assert len(found) == number


def test_a_work_dir_has_a_row_for_each_epoch_and_a_checkpoint_is_one_epoch(tmp_path):
    (tmp_path / TABLE).write_bytes(write_table(ROWS))
    found = measure(tmp_path)
    assert [(row['epoch'], row['part'], row['side']) for row in found[:2]] == [
        *((0, 'FFN', 'branch'), (0, 'NLL 2', 'identity'))
    ]
    assert [row['value'] for row in found[::2]] == [1, 1.1, 1.2]
    assert {row['block'] for row in found} == {'stage 1, block 2'}
    state = {NAMES[0]: torch.tensor([1.5]), 'head.weight': torch.ones(2, 2)}
    torch.save({'state_dict': state, 'meta': {'epoch': 9}}, tmp_path / 'a.pth')
    (row,) = measure(tmp_path / 'a.pth')
    assert (row['epoch'], row['part'], row['value']) == (9, 'FFN', 1.5)


def test_what_has_no_coefficients_is_refused(tmp_path):
    with pytest.raises(InputError, match=f'no {TABLE}.*name a checkpoint'):
        measure(tmp_path)
    torch.save({'head.weight': torch.ones(2)}, tmp_path / 'a.pth')
    with pytest.raises(InputError, match='a.pth: no learned residual coefficients'):
        measure(tmp_path / 'a.pth')
    for content in ('a,b\n1,2\n', 'epoch,iteration\n1,x\n', 'epoch,iteration\n1\n'):
        (tmp_path / TABLE).write_text(content)
        with pytest.raises(InputError, match=f'{TABLE}: not a table of coefficients'):
            measure(tmp_path)


def test_epochs_are_drawn_by_block_and_a_single_one_over_the_blocks(tmp_path):
    table = [{**row, 'backbone.stages.1.blocks.0.shortcut_attn.branch': 2.0} for row in ROWS]

    def panels(rows):
        (tmp_path / TABLE).write_bytes(write_table(rows))
        figure = draw([{'model': 'run', **row} for row in measure(tmp_path)])
        return {axes.get_title(): axes for axes in figure.axes if axes.lines}

    by_block = panels(table)
    assert list(by_block) == ['run\nstage 1, block 2', 'run\nstage 2, block 1']
    first = by_block['run\nstage 1, block 2']
    assert first.get_xlabel() == 'epoch'
    assert list(first.lines[1].get_xdata()) == [0, 1, 2]
    assert panels(table[:1])['run'].get_xlabel() == 'block'
