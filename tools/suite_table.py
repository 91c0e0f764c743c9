"""Put what tools/benchmark.py --suite NAME has measured into docs/benchmarks.md.

python tools/suite_table.py parts parts.csv
python tools/suite_table.py cpu first.csv second.csv     # measured in pieces

The table takes the place of what stands between the two comments of the suite there.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.benchmarking.suites import SUITES
from vitbackbones.benchmarking.suites.pages import TABLES, as_measured
from vitbackbones.benchmarking.tables import read_csv, replaced

TARGET = Path(__file__).resolve().parents[1] / 'docs' / 'benchmarks.md'
END = '<!-- end of the suite -->\n'


def with_table(page: str, suite: str, rows: list[dict]) -> str:
    """The text ``page`` with the table of a suite's ``rows`` in its place."""
    lines = TABLES.get(suite, as_measured)(rows)
    return replaced(page, f'<!-- suite {suite} -->\n', END, lines)


def main(options: Namespace) -> None:
    rows = [row for file in options.files for row in read_csv(file)]
    TARGET.write_text(with_table(TARGET.read_text(), options.suite, rows))


if __name__ == '__main__':
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('suite', choices=SUITES)
    parser.add_argument('files', nargs='+', type=Path, help='CSV files of the benchmark')
    main(parser.parse_args())
