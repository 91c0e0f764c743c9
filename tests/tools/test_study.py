"""Studies: what their files may say, and how long their runs are."""

import pytest

from tools.studies.study import Run, read_study
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
model = train_dataloader = val_evaluator = test_evaluator = dict()
val_dataloader, test_dataloader = (
    dict(dataset=dict(type='D', data_prefix=split, pipeline=[])) for split in ('val', 'test')
)
optim_wrapper = dict(optimizer=dict(lr=1e-3))
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
    assert (study.rates, study.smallest_effect, wide.expected) == ((), None, None)


RATES = 'seeds = (0, 3)\nrates = (1e-4, 1e-3)'


def test_rates_are_chosen_on_val_with_other_seeds_and_the_rest_is_tested(write, tmp_path):
    study = read_study(write('seeds = (0, 3)', RATES))
    base = study.base_config()
    choosing = study.runs(base, tmp_path)
    assert [(run.variant, run.rate, run.seed) for run in choosing] == [
        ('plain', 1e-4, 4),
        ('plain', 1e-3, 4),
        ('wide', 1e-4, 4),
        ('wide', 1e-3, 4),
    ]
    run = study.runs(base, tmp_path, {'wide': 1e-4})[1]
    assert (run.variant, run.seed, run.folder) == ('wide', 3, tmp_path / 'wide' / 'seed_3')
    for each, split in ((choosing[2], 'val'), (run, 'test')):
        settings = {}
        exec(each.text, settings)
        assert settings['val_dataloader']['dataset']['data_prefix'] == split
        assert settings['optim_wrapper']['optimizer']['lr'] == 1e-4


def test_the_best_rate_is_chosen_when_all_are_known(write, tmp_path, monkeypatch):
    study = read_study(write('seeds = (0, 3)', f'{RATES}\nrate_seeds = 2'))
    runs = study.runs(study.base_config(), tmp_path)
    assert study.chosen_rates(runs) == {}
    found = {1e-4: {4: 60.0, 5: 50.0}, 1e-3: {4: 56.0, 5: 55.0}}
    values = lambda run: found[run.rate][run.seed] if run.variant == 'wide' else None  # noqa: E731
    monkeypatch.setattr(Run, 'value', values)
    assert study.chosen_rates(runs) == {'wide': 1e-3}


@pytest.mark.parametrize(('metric', 'value'), [('coco/bbox_mAP', 51.2), ('mIoU', 0.512)])
def test_average_precision_is_in_percent_as_papers_print_it(tmp_path, monkeypatch, metric, value):
    found = {}
    monkeypatch.setattr('tools.studies.study.value_after', lambda *run: found.get(run[1]))
    run = Run('plain', 0, None, tmp_path, '', metric, 1)
    assert run.value() is None
    found[metric] = 0.512
    assert run.value() == value


@pytest.mark.parametrize(
    ('old', 'new', 'message'),
    [
        ("for split in ('val', 'test')", "for split in ('test', 'test')", 'have the same images'),
        ('optim_wrapper = dict(optimizer=dict(lr=1e-3))', 'optim_wrapper = {}', 'optimizer.lr'),
    ],
)
def test_a_base_on_which_no_rate_can_be_chosen(write, tmp_path, old, new, message):
    study = read_study(write('seeds = (0, 3)', RATES))
    (tmp_path / 'base.py').write_text(BASE.replace(old, new))
    with pytest.raises(InputError, match=message):
        study.base_config()


def test_what_was_expected_is_in_the_digest(write):
    digests = {
        read_study(write('paper=1.5', change)).preregistration()
        for change in ('paper=1.5', 'paper=1.6', 'expected=(0, 1)', 'expected=(0, 2)')
    }
    assert len(digests) == 3  # a number of the paper is none of ours


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
        ("metric = 'accuracy/top1'", '', 'study.py: has no metric'),
        ('seeds =', 'seedz =', "seedz: unknown key; did you mean 'seeds'"),
        ('seeds = (0, 3)', 'seeds = (0, 0)', 'at least one integer, all different'),
        ('length = 5', 'length = 0', 'length=0: must be an integer of at least 1'),
        ('length = 5', "length = '5'", "length='5': must be an integer of"),
        ("baseline = 'plain'", "baseline = 'plane'", "is not a variant; did you mean 'plain'"),
        ("against='plain'", "against='x'", "variants.wide: is compared with 'x', which is not"),
        ('paper=1.5', 'papers=1.5', "variants.plain: papers: unknown key; did you mean 'paper'"),
        ('paper=(2, 1)', 'paper=(2, 1, 0)', 'must be a number or two'),
        ('plain=dict(paper=1.5)', 'plain=1.5', 'variants.plain: is 1.5, but it must be a dict'),
        ('paper=1.5', 'expected=(1, 0)', 'must be two numbers, the smaller one first'),
        ('paper=1.5', 'expected=(None, 0)', 'must be two numbers, the smaller one first'),
        ('length = 5', 'length = 5; rates = ()', 'rates=.*: must be a list of learning rates'),
        ('length = 5', 'length = 5; rates = (1e-3, -1e-3)', 'learning rates above 0'),
        ('length = 5', "length = 5; rates = ('1e-3',)", 'learning rates above 0'),
        ('length = 5', 'length = 5; rate_seeds = 0', 'rate_seeds=0: must be an integer of at'),
        ("'model.width'", "'train_cfg.max_epochs'", 'train_cfg.max_epochs: must not be set here'),
    ],
)
def test_a_wrong_study_is_refused(write, old, new, message):
    with pytest.raises(InputError, match=message):
        read_study(write(old, new))


def test_a_variant_with_a_rate_of_its_own_where_rates_are_chosen(write):
    text = write('seeds = (0, 3)', RATES).read_text()
    file = write()
    file.write_text(text.replace("'model.width'", "'optim_wrapper.optimizer.lr'"))
    with pytest.raises(InputError, match='lr: must not be set here'):
        read_study(file)


def test_a_base_that_is_only_a_part(write, tmp_path):
    study = read_study(write())
    (tmp_path / 'base.py').write_text('model = dict()')
    with pytest.raises(InputError, match='base.py: the config is incomplete'):
        study.base_config()
