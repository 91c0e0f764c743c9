"""``vitbackbones benchmark`` with more models: of OpenMMLab, plain, in other runtimes, of a config.

    python -m benchmarks.compare plain:sret_t ours:sret_t onnxruntime:sret_t --batch 8
    python -m benchmarks.compare mmdet:retinanet_pvt-s_fpn_1x_coco ours:pvt_s --features \\
        --size 512 800x1333 --precision bfloat16 --engine compiled --out pvt.csv

plain:NAME is written straight from the equations, as the tests have it; onnxruntime:NAME and
openvino:NAME are the folded form in that runtime; config:CONFIG is a whole detector or segmentor;
mmpretrain:NAME is one of its models, mmdet:CONFIG the backbone of one of its configs.
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
