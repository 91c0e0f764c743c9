"""Copies of configs."""

from argparse import Namespace

import pytest

from vitbackbones.commands.names.copy_config import copy_config
from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError


def copied(name, file=None):
    copy_config(Namespace(name=name, file=file))


def test_a_copy_is_the_same_config(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    copied('detr_aug_vit_ti_bccd')
    assert capsys.readouterr().out.endswith(': vitbackbones train my_detr_aug_vit_ti_bccd.py\n')
    text = (tmp_path / 'my_detr_aug_vit_ti_bccd.py').read_text()
    assert "_base_ = 'vitbackbones::bccd/detr_aug_vit_ti.py'" in text
    original = read_config(config_files()['detr_aug_vit_ti_bccd'])
    assert read_config('my_detr_aug_vit_ti_bccd.py').to_dict() == original.to_dict()


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (('detr_aug_vit_s_coc',), "no config of this name; did you mean 'detr_aug_vit_s_coco'"),
        (('detr_aug_vit_s_coco', 'here.py'), 'here.py: exists, and is not overwritten'),
        (('detr_aug_vit_s_coco', 'here.txt'), 'the name of a config must end in .py'),
        (('detr_aug_vit_s_coco', 'no/such.py'), 'there is no folder no'),
    ],
)
def test_what_cannot_be_copied(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'here.py').write_text('mine')
    with pytest.raises(InputError, match=message):
        copied(*arguments)
    assert (tmp_path / 'here.py').read_text() == 'mine'
