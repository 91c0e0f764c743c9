"""``vitbackbones copy-config``: a config of a user's own that inherits from a shipped one."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from ...configuration.names import SCOPE, config_files, config_name, find_config, no_config
from ...errors import InputError
from ...utils.files import write_file
from ...utils.verbs import command_line
from .listing import described

EXAMPLES = """\
examples:
  %(prog)s detr_aug_vit_s_coco                writes my_detr_aug_vit_s_coco.py
  %(prog)s quick_detector birds.py            writes birds.py

The file says what is different, and the rest is the shipped config's.
"""
INHERITED = '''\
"""{title}, changed.

    {train}
"""

_base_ = '{base}'

# What is written here is joined with the settings of the base, such as
# train_dataloader = dict(batch_size=4)
'''


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add('name', metavar='NAME', help="a name from 'vitbackbones configs'")
    add('file', nargs='?', metavar='FILE', help='file to write (default: my_NAME.py)')


def copy_config(options: Namespace) -> None:
    """Write a config that inherits from a shipped one, and say what trains it.

    Raises:
        InputError: there is no such config, or the file exists.
    """
    source = find_config(options.name)
    if source not in config_files().values():
        raise no_config(options.name)
    target = Path(options.file or f'my_{config_name(source)}.py').expanduser()
    if target.suffix != '.py':
        raise InputError(f'{target}: the name of a config must end in .py')
    if target.exists():
        raise InputError(f'{target}: exists, and is not overwritten; name another FILE')
    if not target.parent.is_dir():
        raise InputError(f'{target}: there is no folder {target.parent}')
    train = command_line('train', target)
    base = f'{SCOPE}{source.parent.name}/{source.name}'
    text = INHERITED.format(title=described(source)[0], train=train, base=base)
    write_file(target, text.encode())
    print(f'{target}: train it with: {train}')
