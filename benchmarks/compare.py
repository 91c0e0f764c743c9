"""``vitbackbones benchmark`` with more forms of our models: plain, in other runtimes, of a config.

    python -m benchmarks.compare plain:sret_t ours:sret_t onnxruntime:sret_t --batch 8

plain:NAME is written straight from the equations, as the tests have it; onnxruntime:NAME and
openvino:NAME are the folded form in that runtime; config:CONFIG is a whole detector or segmentor.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from functools import partial

from vitbackbones.commands.benchmark import add_arguments, benchmark
from vitbackbones.commands.ending import run

from .sources import SOURCES

if __name__ == '__main__':
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add_arguments(parser, SOURCES)
    sys.exit(run(partial(benchmark, parser.parse_args(), SOURCES)))
