"""Put what tools/benchmark.py --suite NAME has measured into docs/benchmarks.md.

python tools/suite_table.py parts parts.csv
python tools/suite_table.py cpu first.csv second.csv     # measured in pieces

The table takes the place of what stands between the two comments of the suite there.
"""

import csv
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.benchmarking.suites import SUITES
from vitbackbones.benchmarking.suites.tables import TABLES, as_measured

TARGET = Path(__file__).resolve().parents[1] / 'docs' / 'benchmarks.md'
END = '<!-- end of the suite -->\n'


def replaced(text: str, suite: str, rows: list[dict]) -> str:
    """The page ``text`` with the table of a suite's ``rows`` in its place."""
    begin = f'<!-- suite {suite} -->\n'
    before, rest = text.split(begin)
    after = rest.partition(END)[2]
    return ''.join([before, begin, *TABLES.get(suite, as_measured)(rows), END, after])


def main(options: Namespace) -> None:
    rows = [row for file in options.files for row in csv.DictReader(file.read_text().splitlines())]
    TARGET.write_text(replaced(TARGET.read_text(), options.suite, rows))


if __name__ == '__main__':
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('suite', choices=SUITES)
    parser.add_argument('files', nargs='+', type=Path, help='CSV files of the benchmark')
    main(parser.parse_args())
