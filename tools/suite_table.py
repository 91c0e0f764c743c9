"""Put what tools/benchmark.py --suite parts has measured into docs/benchmarks.md.

python tools/suite_table.py parts.csv

The table takes the place of what stands between the two comments there. A host has its time, and
each of its parts the ratio to it.
"""

import csv
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.benchmarking.suites.parts import GROUPS

TARGET = Path(__file__).resolve().parents[1] / 'docs' / 'benchmarks.md'
BEGIN, END = '<!-- suite parts -->\n', '<!-- end of the suite -->\n'


def by_case(rows: list[dict]) -> dict[str, list[dict]]:
    """The rows of each case, in the order in which the suite names its models."""
    cases: dict[str, list[dict]] = {}
    for row in rows:
        title = f'{row["step"]}, {row["size"]}, batch {row["batch"]}'
        cases.setdefault(title, []).append(row)
    return cases


def table(rows: list[dict]) -> Iterator[str]:
    """The lines of the table of a suite that was measured as a whole."""
    cases = by_case(rows)
    yield f'| | {" | ".join(cases)} |\n'
    yield f'|---|{"---|" * len(cases)}\n'
    hosts = [spec == group[0] for group in GROUPS for spec in group]
    for is_host, *found in zip(hosts, *cases.values(), strict=True):
        name = found[0]['form'].removeprefix('ours:')
        cells = [f'{row["median_ms"]} ms' if is_host else row['ratio'] for row in found]
        yield f'| {"" if is_host else "+ "}`{name}` | {" | ".join(cells)} |\n'


def replaced(text: str, rows: list[dict]) -> str:
    """The page ``text`` with the table of ``rows`` in its place."""
    before, rest = text.split(BEGIN)
    return ''.join([before, BEGIN, *table(rows), END, rest.split(END)[1]])


def main(file: Path) -> None:
    rows = list(csv.DictReader(file.read_text().splitlines()))
    TARGET.write_text(replaced(TARGET.read_text(), rows))


if __name__ == '__main__':
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('file', type=Path, help='the CSV file of the benchmark')
    main(parser.parse_args().file)
