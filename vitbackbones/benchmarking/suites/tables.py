"""The tables of suites as they stand in ``docs/benchmarks.md``, made of the rows measured."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from . import cpu, parts

Rows = Sequence[dict[str, str]]


def by_host(rows: Rows) -> Iterator[str]:
    """Yield a line for each model, a column for each case: a host's time, its parts' ratios."""
    cases = _grouped(rows, lambda row: f'{row["step"]}, {row["size"]}, batch {row["batch"]}')
    yield from _heading(['', *cases])
    hosts = [spec == group[0] for group in parts.GROUPS for spec in group]
    for is_host, *found in zip(hosts, *cases.values(), strict=True):
        name = found[0]['form'].removeprefix('ours:')
        cells = [f'{row["median_ms"]} ms' if is_host else row['ratio'] for row in found]
        yield _line([f'{"" if is_host else "+ "}`{name}`', *cells])


def by_model(rows: Rows) -> Iterator[str]:
    """Yield a line for each model and batch, a column for each form and rival.

    What is missed stands in bold letters.
    """
    columns = (*cpu.AIMS, *cpu.RUNTIMES, 'timm')
    yield from _heading(['model', 'batch', 'eager, ms', *columns])
    for (name, batch), group in _grouped(rows, lambda row: (row['model'], row['batch'])).items():
        found = {row['form'].partition(':')[0]: row for row in group}
        cells = [_judged(found[column]) if column in found else '' for column in columns]
        yield _line([f'`{name}`', batch, found['ours']['median_ms'], *cells])


def as_measured(rows: Rows) -> Iterator[str]:
    """Yield a line for each row and a column for each key."""
    yield from _heading(rows[0])
    for row in rows:
        yield _line(row.values())


TABLES: dict[str, Callable[[Rows], Iterator[str]]] = {'parts': by_host, 'cpu': by_model}


def _grouped(rows: Rows, key: Callable[[dict], Hashable]) -> dict[Hashable, list[dict]]:
    groups: dict[Hashable, list[dict]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _judged(row: dict[str, str]) -> str:
    return f'**{row["reached"]}**' if row['verdict'] == 'missed' else row['reached']


def _heading(titles: Iterable[str]) -> Iterator[str]:
    titles = list(titles)
    yield _line(titles)
    yield f'|{"---|" * len(titles)}\n'


def _line(cells: Iterable[str]) -> str:
    return f'| {" | ".join(cells)} |\n'
