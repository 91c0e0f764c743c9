"""What a shell gets to complete a command line."""

import subprocess
import sys

import pytest

from vitbackbones.commands.completion import completion
from vitbackbones.commands.main import Parser
from vitbackbones.errors import InputError


def small_parser():
    parser = Parser(prog='vitbackbones')
    train = parser.add_subparsers(dest='verb').add_parser('train', help='train')
    train.add_argument('config')
    train.add_argument('--work-dir', metavar='DIR')
    train.add_argument('--kind', choices={'first': 1, 'second': 2})
    return parser


COMPLETE = """
vitbackbones() { echo detr_aug_vit_s_coco; }
. "$1"
COMP_WORDS=(vitbackbones $2 "$3") COMP_CWORD=$4
_shtab_vitbackbones
echo "${COMPREPLY[*]}"
"""


@pytest.mark.parametrize(
    ('before', 'word', 'found'),
    [
        ('', 'tr', 'train'),
        ('train', '--w', '--work-dir'),
        ('train', 'detr_a', 'detr_aug_vit_s_coco'),
        ('train --kind', 's', 'second'),
    ],
)
def test_a_real_bash_completes_verbs_options_choices_and_configs(before, word, found, tmp_path):
    pytest.importorskip('shtab')
    script = tmp_path / 'completion.bash'
    script.write_text(completion(small_parser(), 'bash'))
    count = str(len(before.split()) + 1)
    command = ['bash', '-c', COMPLETE, 'bash', str(script), before, word, count]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert result.stdout.split() == [found], result.stderr


def test_without_shtab_there_is_one_message(monkeypatch):
    monkeypatch.setitem(sys.modules, 'shtab', None)
    with pytest.raises(InputError, match='pip install shtab'):
        completion(small_parser(), 'bash')
