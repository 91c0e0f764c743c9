"""Unknown keys are found before anything is built, and known ones are left alone."""

import pytest
from mmengine.config import Config

from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError

CONFIG = config_files()['detr_aug_vit_s_coco']
PARAMWISE = 'optim_wrapper__paramwise_cfg'
NOT_THERE = "type: 'AugViT' is not registered in mmdet or vitbackbones"


def finding(**options):
    """What lint says of the shipped config with ``options`` (``__`` for a dot)."""
    config = read_config(CONFIG, {key.replace('__', '.'): value for key, value in options.items()})
    with pytest.raises(InputError) as error:
        lint(config)
    return str(error.value)


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'modell': 1}, "modell: unknown key; did you mean 'model'?"),
        ({'model__backbone__archh': 's'}, "of vitbackbones.AugViT; did you mean 'arch'"),
        ({'model__backbone__shortcut': {'type': 'AugmentedShortcut', 'path': 2}}, "mean 'paths'"),
        ({'model__backbone__recursion__pases': 2}, 'recursion.pases: unknown key of Recursion; di'),
        ({'model__backbone__shortcut': {'type': [1]}}, 'type: is [1], but it must be a name or a '),
        ({'model__neck__in_channel': 3}, "did you mean 'in_channels' or"),
        ({'model__neck__zzz': 3}, 'unknown key of vitbackbones.ChannelMapper; known: act_cfg,'),
        ({'model__train_cfg__assigner__match_cost': 1}, "did you mean 'match_costs'?"),
        ({'model__backbone__init_cfg__allow_mising': []}, "did you mean 'allow_missing'?"),
        ({'train_dataloader__batchsize': 2}, "dataloader.batchsize: unknown key; did you mean 'b"),
        ({'train_dataloader__dataset__pipeline__2__probb': 1}, 'dataset.pipeline.2.probb: unknown'),
        ({'optim_wrapper__clip_gard': {}}, "did you mean 'clip_grad'?"),
        ({f'{PARAMWISE}__norm_decay': 0}, "did you mean 'norm_decay_mult'"),
        ({f'{PARAMWISE}__custom_keys': {'a.b': {'wd': 0}}}, 'custom_keys.a.b.wd: unknown key'),
        ({'param_scheduler__0__milestone': [1]}, "did you mean 'milestones'?"),
        ({'train_cfg__max_epoch': 1}, "did you mean 'max_epochs'"),
        ({'val_cfg__fp61': True}, "val_cfg.fp61: unknown key of ValLoop; did you mean 'fp16'"),
        ({'val_evaluator__metrics': 'bbox'}, "did you mean 'metric'"),
        ({'default_hooks__logger__intervall': 1}, "did you mean 'interval'"),
        ({'work_dir': '{{$RUNS}}/a'}, "work_dir: is '{{$RUNS}}/a', which nothing has replaced; an"),
        ({'randomness__sed': 1}, "did you mean 'seed'?"),
        ({'model__backbone__type': 'AugViT'}, f"{NOT_THERE}; did you mean 'vitbackbones.AugViT'"),
        ({'optim_wrapper__optimizer__type': 'adamw'}, "did you mean 'AdamW'"),
        ({'optim_wrapper__optimizer__foreach': 'x'}, "foreach: is 'x', but it must be True or Fa"),
        ({'optim_wrapper__optimizer__maximize': True}, 'must be False, because losses are mini'),
        (
            {'model__neck__init_cfg': {'type': 'Normal', 'std': -1}},
            'init_cfg.std: is -1, but it must',
        ),
        ({'train_dataloader__batch_size': 10**20}, 'batch_size: is 100000000000000000000, but it '),
        ({'model__bbox_head': 1.5}, 'model.bbox_head: is 1.5, but it must be a dict'),
        ({'val_dataloader__dataset__data_prefix': None}, 'data_prefix: is None, but it must be a '),
        ({'train_dataloader__dataset__reduce_zero_label': []}, 'reduce_zero_label: is [], but it '),
        ({'model__neck__kernel_size': 0}, 'neck.kernel_size: is 0, but it must be an integer'),
        ({'custom_hooks': [{'type': 'EarlyStoppingHook', 'monitor': 'a', 'min_delta': 'x'}]}, 'a '),
    ],
)
def test_found_with_a_suggestion(options, message):
    assert message in finding(**options)


def test_a_setting_of_training_and_then_the_shortest_is_suggested():
    config = read_config(str(CONFIG))
    config = Config(dict(sorted(config.to_dict().items(), reverse=True)))  # val before train
    with pytest.raises(InputError) as error:
        lint(config, ['batch_size'])
    assert "did you mean 'train_dataloader.batch_size'" in str(error.value)


def test_a_hint_is_of_the_kind_that_is_read_there():
    assert 'EMAHook' not in finding(model__neck__type='EMAHok')
    assert 'EMAHook' in finding(custom_hooks=[{'type': 'EMAHok'}])


def test_all_findings_at_once():
    text = finding(modell=1, model__neck__in_channel=3)
    assert text.startswith(str(CONFIG))
    assert len(text.splitlines()) == 3


def mapper(part):
    """Return mmdet's neck with a part in a place whose type it leaves open."""
    neck = {'_delete_': True, 'type': 'ChannelMapper', 'in_channels': [384], 'act_cfg': [part]}
    return {'model__neck': neck}


@pytest.mark.parametrize(
    'options',
    [
        {'base_lr': 0.1, 'my_pipeline': [{'type': 'whatever'}], 'val_evaluator_abs': 1},
        {'custom_hooks': [{'type': 'EMAHook', 'momentum': 0.1, 'priority': 49}]},
        mapper({'type': 'GN', 'num_groups': 32, 'requires_grad': False}),
        {'optim_wrapper__constructor': 'Mine', 'optim_wrapper__paramwise_cfg': {'layers': 12}},
        {'optim_wrapper__clip_grad': {'type': 'value', 'clip_value': 1}},
        {'model__backbone__shortcut': {'type': 'AugmentedShortcut', 'paths': 3}},
        {'model__backbone__recursion__passes': 3},
        {'model__backbone__recursion': {'passes': 2, 'groups': [2, 1], 'permutation': 'none'}},
        {'train_dataloader__num_batch_per_epoch': 3},
        mapper({'type': 'conv', 'kernel_size': 1}),
        {'train_cfg': {'_delete_': True, 'by_epoch': False, 'max_iters': 3}},
        {'model__neck__init_cfg': {'type': 'Xavier', 'layer': 'Conv2d', 'override': {'name': 'a'}}},
    ],
)
def test_valid_keys_pass(options):
    lint(read_config(CONFIG, {key.replace('__', '.'): value for key, value in options.items()}))


@pytest.mark.parametrize(
    ('option', 'message'),
    [
        ('data_root', '; use --data-root'),
        ('modell.type', "; did you mean 'model'"),
        ('train_pipeline.0.type', ''),
    ],
)
def test_options_without_effect(option, message):
    with pytest.raises(InputError) as error:
        lint(read_config(CONFIG), [option, 'model.num_queries'])
    section = option.partition('.')[0]
    said = f'{section} is not a setting of a run, so it has no effect{message}'
    assert f'--cfg-options {option}: {said}' in str(error.value)
    assert 'num_queries' not in str(error.value)
