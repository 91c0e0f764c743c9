"""Look into trained models: a picture and a table (CSV) for each analysis.

python tools/analyze.py configs/imagenet/cls_aug_vit_s.py work_dirs/.../epoch_300.pth diversity \\
    --versus configs/imagenet/cls_deit_s.py work_dirs/.../epoch_300.pth --images photos --out out
python tools/analyze.py ours:tnt_s tnt_s.pth.tar pixels --images photos --out out
python tools/analyze.py work_dirs/first work_dirs/second curves --out out

writes out/diversity.png and out/diversity.csv. A model is a config and a checkpoint of it, or
ours:NAME[,KEY=VALUE ...] and a checkpoint of any known layout; without a checkpoint its weights
are random. A config's model sees images as its test pipeline makes them, a model by name their
middle, 224 pixels wide. docs/analysis.md shows every analysis. WHAT is one of

"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.analysis.table import ANALYSES
from vitbackbones.commands.analyze import analyze
from vitbackbones.commands.cli import ConfigOptions, count, image_size, run


def parse() -> Namespace:
    listed = '\n'.join(f'  {name:<13} {entry.help}' for name, entry in ANALYSES.items())
    parser = ArgumentParser(
        description=__doc__ + listed, formatter_class=RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        'models',
        nargs='+',
        metavar='CONFIG [CHECKPOINT]',
        help='the model; for coefficients and curves, one or more work dirs',
    )
    add('what', choices=ANALYSES, metavar='WHAT', help='see above')
    add('--out', required=True, metavar='DIR', help='where table and picture go')
    used = parser.add_mutually_exclusive_group()
    go_on = 'continue a landscape that was stopped'
    used.add_argument('--resume', action='store_true', help=go_on)
    anew = 'replace what an earlier call wrote'
    used.add_argument('--overwrite', action='store_true', help=anew)
    add(
        '--versus',
        nargs='+',
        action='append',
        default=[],
        metavar=('CONFIG', 'CHECKPOINT'),
        help='another model in the same picture; can be given several times',
    )
    add('--images', nargs='+', default=[], metavar='DIR', help='images, or folders of them')
    add(
        '--count', type=count, default=16, metavar='N', help='images, spread over DIR (default: 16)'
    )
    shown = 'images of which maps are shown (attention, pixels; default: 3)'
    add('--pictures', type=count, default=3, metavar='N', help=shown)
    asked = 'whose attention is shown (default: of the class token, where there is one)'
    add('--query', choices=('class_token', 'all'), help=asked)
    blocks = 'by number, from 1 over all stages (default: first, middle and last)'
    add('--blocks', nargs='+', type=count, metavar='N', help=blocks)
    add('--channels', type=count, default=12, metavar='N', help='of maps (default: 12)')
    add('--size', type=image_size, metavar='H[xW]', help='show the middle of images in this size')
    points = 'of the landscape a side, an odd number (default: 21)'
    add('--points', type=count, default=21, metavar='N', help=points)
    samples = 'images that the loss of the landscape is measured on (default: 64)'
    add('--samples', type=count, default=64, metavar='N', help=samples)
    root = "folder of the landscape's data set, in place of the one that the config names"
    add('--data-root', metavar='DIR', help=root)
    add('--seed', type=int, default=0, help='of the directions of the landscape (default: 0)')
    add('--device', help='cpu, cuda, cuda:1, ... (default: a GPU if there is one)')
    add('--cfg-options', nargs='+', action=ConfigOptions, default={}, metavar='KEY=VALUE')
    return parser.parse_args()


def main() -> None:
    analyze(parse())


if __name__ == '__main__':
    sys.exit(run(main))
