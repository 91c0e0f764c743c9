"""``doctor CONFIG`` says what a config of a toolbox needs and does not find."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from mmengine.config import Config

from tests.configuration.version_two.test_convert import detector
from vitbackbones.errors import InputError
from vitbackbones.preparing import foreign_config
from vitbackbones.preparing.foreign_config import examine_config

pytestmark = pytest.mark.compat
RETINANET = (
    Path(find_spec('mmdet').origin).parent / '.mim/configs/retinanet/retinanet_r50_fpn_1x_coco.py'
)


def found(path, out=None):
    return {finding.check: finding for finding in examine_config(str(path), out and str(out))}


def written(tmp_path, text):
    file = tmp_path / 'config.py'
    file.write_text(text)
    return file


def test_a_config_of_a_toolbox_is_understood():
    findings = found(RETINANET)
    assert 'version' not in findings
    assert findings['model'].text == 'RetinaNet on ResNet, 38.0 M parameters, 80 classes'
    assert 'ann_file of train_dataloader.dataset does not exist' in findings['data'].text
    assert findings['next'].text.endswith('--smoke')


def test_a_config_of_mmseg_is_understood_by_name_and_its_variables_are_not_of_version_two(tmp_path):
    file = written(
        tmp_path, "_base_ = ['mmseg::fcn/fcn-d6_r50-d16_4xb2-40k_cityscapes-512x1024.py']"
    )
    findings = found(file)
    assert Config.fromfile(file).optimizer.type == 'SGD'
    assert 'version' not in findings
    assert findings['model'].text.startswith('EncoderDecoder on ResNetV1c')


def test_settings_that_a_training_would_refuse_together_are_said(tmp_path):
    text = "_base_ = ['mmdet::mask2former/mask2former_r50_8xb2-lsj-50e_coco.py']\n"
    text += 'model = dict(panoptic_head=dict(num_things_classes=3, num_stuff_classes=0))'
    findings = [*examine_config(str(written(tmp_path, text)))]
    said = [each.text for each in findings if each.state == 'problem']
    assert len(said) == 2
    assert 'class_weight: has 81 weights for 3 classes and "no object"' in said[0]
    assert 'model.panoptic_fusion_head.num_things_classes: is 80, but' in said[1]


def test_toolboxes_that_a_config_names_and_that_are_missing_are_said(tmp_path):
    file = written(tmp_path, "model = dict(_scope_='mmrazor', type='SingleTeacherDistill')")
    assert found(file)['packages'].text == 'mmrazor is not installed'
    file = written(tmp_path, "model = dict(type='RetinaNet', bbox_head=dict(type='mmrotate.Head'))")
    assert found(file)['packages'].text == 'mmrotate is not installed'


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ("_base_ = 'mmdet::ssd/ssd_300_coco.py'", "did you mean 'ssd300_coco.py'"),
        ('import sys\nfrom nothing_here import a\nparts = [sys]', 'has values that no config has'),
        ('import sys\nfrom nothing_here import a\n\ndef main():\n    a(sys)\n', 'nothing_here'),
        (
            'from mmengine.config import read_base\nwith read_base():\n'
            '    from nothing_here.configs.a import *',
            'Package nothing_here is not installed',
        ),
    ],
)
def test_what_is_no_config_or_lacks_its_base_is_one_message(tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        found(written(tmp_path, text))


def test_a_config_of_version_two_is_written_for_version_three(tmp_path):
    old = tmp_path / 'old.py'
    Config(detector()).dump(old)
    findings = found(old)
    assert 'lr_config is now param_scheduler' in findings['version'].text
    assert findings['version'].remedy.endswith('--fix fixed.py')
    assert findings['model'].text == 'FasterRCNN on ResNet, 41.8 M parameters, 80 classes'
    new = tmp_path / 'new.py'
    findings = found(old, new)
    assert findings['written'].state == 'ok'
    assert '# was: lr_config\nparam_scheduler' in new.read_text()
    assert 'version' not in found(new)
    with pytest.raises(InputError, match='new.py exists; give another name'):
        found(old, new)


def test_weights_in_the_package_are_found():
    assert 'weights' not in found('quick_detector')


def test_there_is_nothing_to_write_of_a_config_of_version_three(tmp_path):
    with pytest.raises(InputError, match='is not a config of version 2'):
        found(RETINANET, tmp_path / 'out.py')


@pytest.mark.parametrize(
    ('text', 'check', 'said'),
    [
        (
            "custom_imports = dict(imports=['my_project.models'])",
            'packages',
            'custom_imports names modules that are not found: my_project.models',
        ),
        (
            'model = dict(backbone=dict(depht=50))',
            'settings',
            'depht: unknown key of ResNet; did you',
        ),
        (
            "model = dict(bbox_head=dict(type='RetinaHed'))",
            'settings',
            "'RetinaHed' is not registered",
        ),
        ("load_from = 'nowhere/retinanet.pth'", 'weights', 'not found: nowhere/retinanet.pth'),
    ],
)
def test_what_is_not_there_is_named(tmp_path, text, check, said):
    file = written(tmp_path, f"_base_ = '{RETINANET}'\n{text}\n")
    assert said in found(file)[check].text


def test_why_a_model_cannot_be_built_is_one_line(tmp_path):
    file = written(tmp_path, f"_base_ = '{RETINANET}'\nmodel = dict(neck=dict(num_outs=1))\n")
    finding = found(file)['model']
    assert finding.state == 'problem'
    assert 'next' not in found(file)
    assert '\n' not in finding.text


@pytest.mark.parametrize(
    ('name', 'text', 'said'),
    [
        ('a.ipynb', '{}', 'is a notebook'),
        (
            'a.yaml',
            'MODEL: {META_ARCHITECTURE: GeneralizedRCNN}',
            'looks like a config of Detectron2',
        ),
        ('a.yaml', 'nc: 80\nbackbone: []', 'looks like a model of ultralytics'),
        ('a.yaml', 'path: x\ntrain: y\nnames: {0: cat}', 'looks like a dataset of ultralytics'),
        ('a.py', 'from no_one import A\nmodel = dict(type=A)', "a.py: No module named 'no_one'"),
        ('a.py', 'while True:\n    pass', 'the config takes more than 1 seconds to read'),
        (
            'a.py',
            '__import__("urllib.request").request.urlopen("http://localhost:9")',
            'the config looks up a network address',
        ),
        ('a.py', 'open("/nowhere/a", "w")', 'the config writes to /nowhere/a'),
        ('a.py', 'lr = 1', 'has no model, so it is a part of other configs'),
        (
            'a.py',
            '__import__("os").system("true")\nmodel = dict(type="X")',
            'the config starts a program',
        ),
        # with the statement, mmengine 0.10.7 refuses to call what is imported, without a text
        (
            'a.py',
            'from urllib.request import urlopen\nurlopen("http://localhost:9")',
            'the config looks up a network address|RuntimeError',
        ),
        (
            'a.py',
            'import os\nos.system("true")\nmodel = dict(type="X")',
            'the config starts a program|RuntimeError',
        ),
    ],
)
def test_what_is_no_config_of_a_toolbox_is_said(tmp_path, monkeypatch, name, text, said):
    monkeypatch.setattr(foreign_config, 'SECONDS', 1 if 'while' in text else 60)
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        found(file)


FORK = """
from mmengine.registry import MODELS as ROOT, Registry
from torch import nn
MODELS = Registry('model', parent=ROOT, scope='my_fork', locations=['my_fork.models'])
@MODELS.register_module()
class Tiny(nn.Module):
    def __init__(self, width, data_preprocessor=None):
        super().__init__()
        self.layer = nn.Linear(width, width)
"""


def package(folder, name, **modules):
    (folder / name).mkdir(parents=True)
    for module, text in {'__init__': '', **modules}.items():
        (folder / name / f'{module}.py').write_text(text)
    return folder


def test_a_fork_with_registries_of_its_own_is_built(tmp_path, monkeypatch):
    file = written(tmp_path, "default_scope = 'my_fork'\nmodel = dict(type='Tiny', width=4)")
    finding = found(file)['packages']
    assert finding.text == 'my_fork is not installed'
    assert finding.remedy.startswith('PYTHONPATH=CLONE')
    monkeypatch.syspath_prepend(package(tmp_path / 'clone', 'my_fork', models=FORK))
    assert found(file)['model'].text == 'Tiny, 0.0 M parameters'


def test_of_two_versions_the_one_that_is_imported_is_named(tmp_path, monkeypatch):
    file = written(tmp_path, "default_scope = 'my_twice'\nmodel = dict(type='Tiny', width=4)")
    fork = FORK.replace('my_fork', 'my_twice')
    monkeypatch.syspath_prepend(package(tmp_path / 'old', 'my_twice', models=fork))
    monkeypatch.syspath_prepend(package(tmp_path / 'new', 'my_twice', models=fork))
    text = f'my_twice is imported from {tmp_path}/new/my_twice, and also in {tmp_path}/old/my_twice'
    assert found(file)['packages'].text == text


def test_a_toolbox_that_cannot_be_imported_says_why(tmp_path, monkeypatch):
    file = written(tmp_path, "default_scope = 'my_old'\nmodel = dict(type='Tiny', width=4)")
    check = "raise AssertionError('MMCV==2.3.6 is used but incompatible')"
    monkeypatch.syspath_prepend(package(tmp_path / 'clone', 'my_old', __init__=check))
    finding = found(file)['packages']
    assert finding.state == 'problem'
    assert finding.text == 'my_old cannot be imported: MMCV==2.3.6 is used but incompatible'


def test_without_fix_no_command_goes_on_with_a_config_of_version_two(tmp_path):
    old = written(tmp_path, Config(detector()).pretty_text)
    findings = found(old)
    assert findings['version'].state == 'problem'
    assert 'next' not in findings
    findings = found(old, tmp_path / 'new.py')
    assert findings['version'].state == 'note'  # so that the exit status is 0
    assert findings['next'].text.endswith('new.py --smoke')


def test_mmcls_is_mmpretrain_now(tmp_path):
    name = 'mmpretrain::resnet/resnet18_8xb16_cifar10.py'
    old = written(tmp_path, Config.fromfile(written(tmp_path, f"_base_ = '{name}'")).pretty_text)
    old.write_text(old.read_text().replace('mmpretrain', 'mmcls').replace('PackInp', 'PackClsInp'))
    assert found(old)['version'].text.endswith('mmcls, which is now mmpretrain')
    new = tmp_path / 'new.py'
    assert found(old, new)['model'].text.startswith('ImageClassifier on ResNet_CIFAR')
    assert 'mmcls' not in new.read_text().partition('\n')[2]


def test_configs_of_other_toolboxes_are_named(tmp_path):
    old = detector()
    old['data']['train']['pipeline'][2] = {'type': 'RResize', 'img_scale': (1024, 1024)}
    file = written(tmp_path, Config(old).pretty_text)
    with pytest.raises(InputError, match='is a config of mmrotate before version 1'):
        found(file)


def test_keys_of_version_two_over_a_base_of_version_three_are_said(tmp_path):
    text = f"_base_ = '{RETINANET}'\ndata = dict(samples_per_gpu=4)\nrunner = dict(max_epochs=5)\n"
    finding = found(written(tmp_path, text))['version']
    assert finding.state == 'note'
    assert 'data (now train_dataloader, val_dataloader and test_dataloader)' in finding.text
    assert 'runner (now train_cfg)' in finding.text


def test_the_folder_of_missing_modules_is_looked_for_around_the_config(tmp_path):
    folder = tmp_path / 'clone'
    package(folder, 'their_models')
    (folder / 'configs').mkdir()
    text = f"_base_ = '{RETINANET}'\ncustom_imports = dict(imports=['their_models.swin'])"
    finding = found(written(folder / 'configs', text))['packages']
    assert finding.remedy == f'PYTHONPATH={folder}, set before the command'


def test_a_package_without_the_prefix_of_openmmlab_is_missing_too(tmp_path):
    text = f"_base_ = '{RETINANET}'\ntrain_dataloader = dict(dataset=dict(type='their.Fruit'))"
    assert found(written(tmp_path, text))['packages'].text == 'their is not installed'


def test_a_backbone_that_is_not_there_can_be_replaced(tmp_path):
    text = f"_base_ = '{RETINANET}'\nmodel = dict(backbone=dict(type='ViTAdapter'))"
    assert '--backbone NAME' in found(written(tmp_path, text))['settings'].remedy


def test_a_class_that_is_not_there_has_values_of_its_own(tmp_path):
    coder = "dict(_delete_=True, type='OBBCoder', target_means=[0.0] * 5)"
    text = f"_base_ = '{RETINANET}'\nmodel = dict(bbox_head=dict(bbox_coder={coder}))"
    said = [each.text for each in examine_config(str(written(tmp_path, text)))]
    assert any("'OBBCoder' is not registered" in line for line in said)
    assert not any('target_means' in line for line in said)


def test_a_config_of_version_two_with_a_broken_part_is_refused_in_one_line(tmp_path):
    old = detector()
    del old['data']['train']['pipeline'][2]['type']
    with pytest.raises(InputError, match="config.py: cannot be converted: KeyError: 'type'"):
        found(written(tmp_path, Config(old).pretty_text))


def test_packages_of_trackers_and_augmentations_are_said(tmp_path, monkeypatch):
    monkeypatch.setitem(foreign_config.NEEDED, 'ClearMLVisBackend', 'no_tracker')
    kinds = "[dict(type='LocalVisBackend'), dict(type='ClearMLVisBackend')]"
    text = f"_base_ = '{RETINANET}'\nvisualizer = dict(vis_backends={kinds})"
    finding = found(written(tmp_path, text))['packages']
    assert finding.text == 'ClearMLVisBackend needs no_tracker, which is not installed'
    assert finding.remedy == 'pip install no_tracker'


def test_a_number_of_classes_that_is_not_that_of_the_data_is_said(tmp_path):
    data = "dict(dataset=dict(metainfo=dict(classes=('cat', 'dog'))))"
    findings = found(written(tmp_path, f"_base_ = '{RETINANET}'\ntrain_dataloader = {data}"))
    text = (
        'model.bbox_head.num_classes: is 80, but train_dataloader.dataset has 2 classes: cat, dog'
    )
    assert findings['settings'].text == text
    assert findings['settings'].state == 'note'
