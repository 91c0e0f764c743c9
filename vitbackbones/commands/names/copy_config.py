"""``vitbackbones copy-config``: a config of a user's own, made from a shipped one."""

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
  %(prog)s quick_detector birds.py --full     with every setting in it

Without --full the file inherits: it says what is different, and the rest is the shipped config's.
"""
INHERITED = '''\
"""{title}, changed.

    {train}
"""

_base_ = '{base}'

# What is written here is joined with the settings of the base, such as
# train_dataloader = dict(batch_size=4)
'''
WHOLE = '''\
"""{title}, a copy of {name}.

    {train}
"""

{text}'''


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add('name', metavar='NAME', help="a name from 'vitbackbones configs'")
    add('file', nargs='?', metavar='FILE', help='file to write (default: my_NAME.py)')
    add('--full', action='store_true', help='write all settings, so that the file needs no other')


def copy_config(options: Namespace) -> None:
    """Write a config that inherits from a shipped one, or repeats it, and say what trains it.

    Raises:
        InputError: there is no such config, or the file exists.
    """
    source = find_config(options.name)
    if source not in config_files().values():
        raise no_config(options.name)
    name = config_name(source)
    target = Path(options.file or f'my_{name}.py').expanduser()
    if target.suffix != '.py':
        raise InputError(f'{target}: the name of a config must end in .py')
    if target.exists():
        raise InputError(f'{target}: exists, and is not overwritten; name another FILE')
    if not target.parent.is_dir():
        raise InputError(f'{target}: there is no folder {target.parent}')
    train = command_line('train', target)
    facts = {'title': described(source)[0], 'train': train, 'name': name}
    if options.full:
        from ...configuration.read import read_config  # the rest works without OpenMMLab

        text = WHOLE.format(**facts, text=read_config(source).pretty_text)
    else:
        base = f'{SCOPE}{source.parent.name}/{source.name}'
        text = INHERITED.format(**facts, base=base)
    write_file(target, text.encode())
    print(f'{target}: train it with: {train}')
