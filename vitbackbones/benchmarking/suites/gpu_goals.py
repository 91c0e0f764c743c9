"""What is to be reached on a GPU, held against what was measured."""

from collections.abc import Iterator
from dataclasses import dataclass

from .gpu_tables import Tables


@dataclass(frozen=True)
class Goal:
    """The time of one form in units of another's, in one row of a table.

    Attributes:
        form, unit: what is compared, by the names in the column ``form``.
        most: the ratio of times that is to be reached.
        table: name of the table.
        case: the values of other columns.
    """

    form: str
    unit: str
    most: float
    table: str
    case: dict


def _large(step: str, engine: str) -> dict:
    return {'step': step, 'engine': engine, 'size': '224x224', 'batch': 128}


TNT = ('ours:tnt_s', 'timm:tnt_s_patch16_224')
AUG = ('ours:aug_vit_s', 'ours:deit_s', 1.08, 'models')
GOALS = (
    Goal(*TNT, 1 / 2.5, 'models', _large('forward', 'eager')),
    Goal(*TNT, 1 / 1.3, 'models', _large('forward', 'compiled')),
    Goal('ours:sret_s', 'plain:sret_s', 1 / 2.5, 'models', _large('forward', 'eager')),
    Goal(*AUG, _large('forward', 'eager')),
    Goal(*AUG, _large('forward', 'compiled')),
    Goal(*AUG, _large('train', 'eager')),
    Goal('ours', 'mmdet', 1 / 1.5, 'tasks', {'task': 'detr', 'engine': 'eager'}),
)


def goal_rows(tables: Tables) -> Iterator[dict]:
    """Yield a row for each goal: what was found, and whether that passes."""
    for goal in GOALS:
        name = f'{goal.form} / {goal.unit}, {" ".join(map(str, goal.case.values()))}'
        yield _row(name, goal.most, _ratio(goal, tables))
    calls = [row for row in tables.table('attention') if row.get('calls')]
    slow = sum(row['verdict'] == 'fail' for row in calls) if calls else None
    yield _row('kinds of attention calls that no fused kernel takes', 0, slow)


def _row(goal: str, most: float, found: float | None) -> dict:
    row = {'goal': goal, 'at_most': round(most, 3), 'found': 'not measured', 'verdict': ''}
    if found is None:
        return row
    return row | {'found': round(found, 3), 'verdict': 'pass' if found <= most else 'fail'}


def _ratio(goal: Goal, tables: Tables) -> float | None:
    times = {
        row['form']: row['median_ms']
        for row in tables.table(goal.table)
        if goal.case.items() <= row.items() and row.get('median_ms')
    }
    if {goal.form, goal.unit} <= times.keys():
        return times[goal.form] / times[goal.unit]
    return None
