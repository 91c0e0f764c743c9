"""The lists of configs and models."""

from argparse import Namespace

import pytest

from vitbackbones.commands.names.listing import configs, described, models
from vitbackbones.configuration.names import config_files
from vitbackbones.errors import InputError


def test_every_config_has_a_title_and_some_a_published_number():
    rows = {name: described(file) for name, file in config_files().items()}
    assert rows['detr_aug_vit_s_coco'] == ('DETR on Aug-ViT-S, COCO', '35.7 AP')
    assert rows['setr_mla_msf_vit_s_ade20k'][1] == '44.01 mIoU'
    assert rows['cls_aug_vit_s_imagenet'][1] == '80.9 top-1'
    assert rows['detr_aug_vit_s_shapes'][1] == ''
    assert all(title for title, _ in rows.values())


def test_configs_are_found_by_a_part_of_their_names(capsys):
    configs(Namespace(pattern='detr_aug_vit'))
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert 'detr_aug_vit_s_coco' in names
    assert all('detr_aug_vit' in name for name in names)
    with pytest.raises(
        InputError, match="detr_aug_vt: matches no name; did you mean 'detr_aug_vit_"
    ):
        configs(Namespace(pattern='detr_aug_vt'))


def test_models_are_listed_with_their_sizes(capsys):
    models(Namespace(pattern='deit_?'))
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == ['model', 'parameters', 'image', 'published', 'top-1']
    assert ['deit_s', '22.05', 'M', '224', 'x', '224', '79.9'] in [row.split() for row in rows]
