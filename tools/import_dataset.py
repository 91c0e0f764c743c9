"""Bring pictures with annotations in another form into a folder that --data-root takes.

python tools/import_dataset.py voc FOLDER OUT      XML files of Pascal VOC, LabelImg, Roboflow ...
python tools/import_dataset.py yolo FOLDER OUT     text files of YOLO, boxes or outlines
python tools/import_dataset.py masks FOLDER OUT    masks with a color for each class

then python tools/train.py configs/own/quick_detector.py --data-root OUT. Files that cannot be used
are listed, and nothing is written; docs/own_data.md says what is looked for, and what is changed.
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.commands.cli import run
from vitbackbones.commands.import_dataset import CONFIGS, import_dataset


def parse() -> Namespace:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('form', choices=tuple(CONFIGS), help='of the annotations')
    add('folder', metavar='FOLDER', help='with pictures and annotations; it stays as it is')
    add('out', metavar='OUT', help='the folder to write; must be empty or new')
    add('--copy', action='store_true', help='copy the pictures; otherwise OUT has links to them')
    add('--overwrite', action='store_true', help='replace an earlier import in OUT')
    add('--skip-faulty', action='store_true', help='leave files out that cannot be used')
    add(
        '--colors',
        metavar='FILE',
        help='of masks: the color of each class (default: found in FOLDER; docs/own_data.md)',
    )
    return parser.parse_args()


def main() -> None:
    import_dataset(parse())


if __name__ == '__main__':
    sys.exit(run(main))
