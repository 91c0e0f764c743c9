"""Studies: what their files may say, and how long their runs are."""

import pytest

from vitbackbones.commands.study import read_study
from vitbackbones.errors import InputError

STUDY = """'''A title.

More.
'''
_dims = 4
base = 'base.py'
source = 'a paper'
metric = 'accuracy/top1'
length = 5
seeds = (0, 3)
baseline = 'plain'
variants = dict(
    plain=dict(paper=1.5),
    wide=dict(options={'model.width': _dims}, paper=(2, 1), against='plain'),
)
"""
BASE = """
model = train_dataloader = val_dataloader = dict()
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=10, val_interval=2)
param_scheduler = [
    dict(type='LinearLR', begin=0, end=1),
    dict(type='CosineAnnealingLR', begin=1, end=10, T_max=9),
]
"""


@pytest.fixture
def write(tmp_path):
    def write(old='', new=''):
        (tmp_path / 'base.py').write_text(BASE)
        (tmp_path / 'study.py').write_text(STUDY.replace(old, new) if old else STUDY)
        return tmp_path / 'study.py'

    return write


def test_a_study(write):
    study = read_study(write())
    assert (study.name, study.title, study.seeds) == ('study', 'A title.', (0, 3))
    plain, wide = study.variants.values()
    assert (plain.paper, plain.paper_against, plain.against) == (1.5, None, 'plain')
    assert (wide.options, wide.paper, wide.paper_against) == ({'model.width': 4}, 2, 1)


def test_schedules_end_with_the_training(write):
    config = read_study(write()).base_config()
    assert (config.train_cfg.max_epochs, config.train_cfg.val_interval) == (5, 5)
    warm_up, cosine = config.param_scheduler
    assert (warm_up.begin, warm_up.end) == (0, 1)
    assert (cosine.begin, cosine.end, cosine.T_max) == (1, 5, 4)


def test_a_run_that_would_end_in_its_warm_up_is_refused(write):
    study = read_study(write('length = 5', 'length = 1'))
    with pytest.raises(InputError, match='length=1: CosineAnnealingLR of .* begins at 1;'):
        study.base_config()


@pytest.mark.parametrize(
    ('old', 'new', 'message'),
    [
        ("metric = 'accuracy/top1'", '', 'study.py: no metric'),
        ('seeds =', 'seedz =', "seedz: unknown key; did you mean 'seeds'"),
        ('seeds = (0, 3)', 'seeds = (0, 0)', 'one or more different whole numbers'),
        ('length = 5', 'length = 0', 'length=0: a whole number from 1'),
        ('length = 5', "length = '5'", "length='5': must be a whole number"),
        ("baseline = 'plain'", "baseline = 'plane'", "is not a variant; did you mean 'plain'"),
        ("against='plain'", "against='x'", "variants.wide: is compared with 'x', which is not"),
        ('paper=1.5', 'papers=1.5', "variants.plain: papers: unknown key; did you mean 'paper'"),
        ('paper=(2, 1)', 'paper=(2, 1, 0)', 'must be a number, or two'),
        ('plain=dict(paper=1.5)', 'plain=1.5', 'variants.plain: is 1.5, but it must be a dict'),
        ("'model.width'", "'train_cfg.max_epochs'", 'train_cfg.max_epochs: length and seeds are'),
    ],
)
def test_a_wrong_study_is_refused(write, old, new, message):
    with pytest.raises(InputError, match=message):
        read_study(write(old, new))


def test_a_base_that_is_only_a_part(write, tmp_path):
    study = read_study(write())
    (tmp_path / 'base.py').write_text('model = dict()')
    with pytest.raises(InputError, match='base.py: no complete config'):
        study.base_config()
