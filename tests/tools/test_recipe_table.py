"""docs/recipes.md says what the configs do."""

import pytest

from vitbackbones.catalog import config_files

from .conftest import ROOT, load_tool

pytestmark = pytest.mark.compat


@pytest.fixture(scope='module')
def text():
    return '\n'.join(load_tool('recipe_table').text())


def test_the_file_is_current(text):
    assert (ROOT / 'docs' / 'recipes.md').read_text() == text


def test_every_config_is_in_it_once(text):
    for name in config_files():
        assert text.count(f'`{name}`') == (not name.endswith('_shapes')), name


@pytest.mark.parametrize(
    ('name', 'cells'),
    [
        (
            'cls_tnt_s_imagenet',
            'AdamW, 0.001, 0.05, 1024, 5, 310, 0.1, , reported, 248 / 224 bicubic, 0.5, 3',
        ),
        ('cls_deit_b_cifar10', 'SGD, 0.01, 0.0001, 768, 5, 1000, 0, , , 256 / 224 bicubic'),
        ('detr_pvt_s_coco', 'AdamW, 0.0001 / 1e-05, 0.0001, 16, 50, 33, 0.1, 0.1, 640-800'),
        ('setr_naive_msf_vit_s_ade20k', 'SGD, 0.01 / 0.1, 0, 16, 0, 160000, power 0.9, 0.01'),
    ],
)
def test_a_recipe_reads_as_its_header(text, name, cells):
    (row,) = [line for line in text.splitlines() if f'`{name}`' in line]
    _, recipe, *found = [cell.strip() for cell in row.strip('|').split('|')]
    assert ', '.join(found).startswith(cells)
    assert (ROOT / 'configs/_base_/recipes' / f'{recipe.strip("`")}.py').is_file()
