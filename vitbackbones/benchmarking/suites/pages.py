"""The tables of suites as they stand in ``docs/benchmarks.md``, made of the rows measured."""

from collections.abc import Callable, Hashable, Iterator, Sequence

from ..tables import markdown
from . import cpu, parts

Rows = Sequence[dict[str, str]]


def by_host(rows: Rows) -> Iterator[str]:
    """Return a line for each model, a column for each case: a host's time, its parts' ratios."""
    cases = _grouped(rows, lambda row: f'{row["step"]}, {row["size"]}, batch {row["batch"]}')
    hosts = {group[0] for group in parts.GROUPS}
    lines = []
    for found in zip(*cases.values(), strict=True):
        form = found[0]['form']
        name = form.removeprefix('ours:')
        # a host may also stand in the group of another, whose time is the unit there
        is_host = form in hosts and all(float(row['ratio']) == 1 for row in found)
        cells = [f'{_ms(row)} ms' if is_host else row['ratio'] for row in found]
        lines.append([f'{"" if is_host else "+ "}`{name}`', *cells])
    return markdown(['', *cases], lines)


def by_model(rows: Rows) -> Iterator[str]:
    """Return a line for each model and batch, a column for each form and rival.

    What is missed stands in bold letters.
    """
    columns = (*cpu.AIMS, *cpu.RUNTIMES, 'timm')
    lines = []
    for (name, batch), group in _grouped(rows, lambda row: (row['model'], row['batch'])).items():
        found = {row['form'].partition(':')[0]: row for row in group}
        cells = [_judged(found[column]) if column in found else '' for column in columns]
        lines.append([f'`{name}`', batch, _ms(found['ours']), *cells])
    return markdown(['model', 'batch', 'eager, ms', *columns], lines)


def as_measured(rows: Rows) -> Iterator[str]:
    """Return a line for each row and a column for each key."""
    return markdown(rows[0], (row.values() for row in rows))


TABLES: dict[str, Callable[[Rows], Iterator[str]]] = {'parts': by_host, 'cpu': by_model}


def _grouped(rows: Rows, key: Callable[[dict], Hashable]) -> dict[Hashable, list[dict]]:
    groups: dict[Hashable, list[dict]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _ms(row: dict[str, str]) -> str:
    return f'{float(row["median_ms"]):.1f}'


def _judged(row: dict[str, str]) -> str:
    return f'**{row["reached"]}**' if row['verdict'] == 'missed' else row['reached']
