"""A folder that the config does not describe, and the config that is made for it."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from mmengine.config import Config
from PIL import Image

from vitbackbones.configuration.data_paths import datasets, locate_data
from vitbackbones.errors import InputError
from vitbackbones.preparing.data_sets import check_data
from vitbackbones.preparing.own_data import take_classes_of, use_own_data
from vitbackbones.utils.messages import plural

from ..data.own.folders import CATEGORIES, coco, one_file, roboflow, write
from ..shapes_configs import make_config, make_mask_config


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Of Shapes, beside which the current directory has a folder ``own``."""
    monkeypatch.chdir(tmp_path)
    model = {'bbox_head': {'num_classes': 3}}
    made = make_config(model=model).to_dict()
    made['test_dataloader'] = made['val_dataloader']
    return named(made)


def named(settings):
    """A config of these settings with a file name, after which the work dir is called."""
    Path('tiny.py').touch()
    return Config(settings, filename='tiny.py')


def test_classes_and_files_are_those_of_the_folder(config, tmp_path, capsys):
    root = roboflow(tmp_path / 'own')
    found = use_own_data(config, 'own')
    assert config.model.bbox_head.num_classes == 3  # a copy is changed
    assert found.model.bbox_head.num_classes == 2
    for (_, dataset), folder in zip(datasets(found), ('train', 'valid', 'test'), strict=True):
        assert tuple(dataset.metainfo.classes) == ('cat', 'dog')
        assert dataset.data_prefix.img == f'{root}/{folder}/'
    assert found.val_evaluator.ann_file == found.val_dataloader.dataset.ann_file
    assert found.test_evaluator[0].ann_file == found.test_dataloader.dataset.ann_file
    content = json.loads(Path(found.test_evaluator[0].ann_file).read_text())
    assert [entry['id'] for entry in content['annotations']] == [2, 1]  # was 0, 1
    text = capsys.readouterr().out
    assert text.startswith('2 classes: cat, dog; 2 images for train, 2 for val, 2 for test from ')
    located = locate_data(found, 'own', ('train', 'val'))  # the files are there
    assert located.to_dict() == found.to_dict()  # and their paths absolute


def test_one_file_is_split_into_the_work_dir_and_the_folder_stays_as_it_is(config, tmp_path):
    root = one_file(tmp_path / 'own')
    before = sorted(root.rglob('*'))
    found = use_own_data(config, 'own', 'run')
    files = [Path(dataset.ann_file) for _, dataset in datasets(found)]
    folder = files[0].parent
    assert folder.parent == tmp_path / 'run' / 'own_data'
    assert files == [folder / f'{s}.json' for s in ('train', 'val', 'val')]
    assert sorted(root.rglob('*')) == before
    times = [file.stat().st_mtime_ns for file in files]
    assert use_own_data(config, 'own', 'run').to_dict() == found.to_dict()
    assert [file.stat().st_mtime_ns for file in files] == times  # a resumed run writes nothing


def test_messages_about_a_part_name_the_file_that_it_was_made_from(config, tmp_path):
    root = one_file(tmp_path / 'own')
    file = root / 'result.json'
    content = json.loads(file.read_text())
    content['annotations'] = [entry | {'bbox': 'none'} for entry in content['annotations']]
    file.write_text(json.dumps(content))
    found = use_own_data(config, 'own', 'run')
    with pytest.raises(InputError) as error:
        check_data(found, ('train',))
    made = found.train_dataloader.dataset.ann_file
    assert str(error.value).startswith(f'{made} (made from {file}): ')


def checkpoint_of(config=None):
    """A checkpoint of a run with this config, of weights alone without one."""
    meta = config and {'dataset_meta': config.train_dataloader.dataset.metainfo.to_dict()}
    torch.save({'meta': meta, 'state_dict': {}}, 'run.pth')
    return Path('run.pth')


def names_tested(config, folder, checkpoint):
    """The names of the pictures that a checkpoint is tested on."""
    dataset = use_own_data(config, folder, 'run', checkpoint).test_dataloader.dataset
    return {each['file_name'] for each in json.loads(Path(dataset.ann_file).read_text())['images']}


def test_a_folder_that_training_split_is_tested_on_what_it_held_out(config, tmp_path, capsys):
    one_file(tmp_path / 'own', 30)
    trained = use_own_data(config, 'own', 'run')
    val, test = (
        json.loads(Path(loader.dataset.ann_file).read_text())
        for loader in (trained.val_dataloader, trained.test_dataloader)
    )
    held_out = {entry['file_name'] for entry in test['images']}
    assert held_out.isdisjoint(entry['file_name'] for entry in val['images'])
    checkpoint = checkpoint_of(trained)
    capsys.readouterr()
    assert names_tested(config, 'own', checkpoint) == held_out
    said = f'evaluated on the {plural(len(held_out), "image")} for test, not on '
    assert said in capsys.readouterr().out
    moved = (tmp_path / 'own').rename(tmp_path / 'moved')
    one_file(moved, 40)  # pictures were added
    assert held_out <= names_tested(config, 'moved', checkpoint) < {f'{i}.jpg' for i in range(40)}


def test_a_folder_that_training_never_saw_is_tested_as_a_whole(config, tmp_path, capsys):
    one_file(tmp_path / 'own', 20)
    names = {f'{i}.jpg' for i in range(20)}
    roboflow(tmp_path / 'other')
    for checkpoint in (checkpoint_of(), checkpoint_of(use_own_data(config, 'other'))):
        assert names_tested(config, 'own', checkpoint) == names
        assert 'evaluated on all 20 images from ' in capsys.readouterr().out


def test_a_folder_that_has_none_for_testing_is_tested_on_its_validation(config, tmp_path, capsys):
    shapes_layout(tmp_path / 'own', CATEGORIES)
    trained = use_own_data(config, 'own', 'run')
    assert '1 image for train, 1 for val, also used for test, from ' in capsys.readouterr().out
    assert trained.test_dataloader.dataset == trained.val_dataloader.dataset
    names_tested(config, 'own', checkpoint_of(trained))
    said = 'which also selected the best checkpoint (there is no test split), not on 1 for train'
    assert said in capsys.readouterr().out


@pytest.mark.parametrize('name', ['test', 'valid', 'result'])
def test_a_folder_without_pictures_for_training_can_be_tested_on(config, tmp_path, name):
    write(tmp_path / 'own', {f'{name}.json': coco(['0.jpg']), '0.jpg': None})
    assert names_tested(config, 'own', checkpoint_of()) == {'0.jpg'}


def shapes_layout(root, categories):
    files = {}
    for split in ('train', 'val'):
        files |= {f'annotations/instances_{split}.json': coco(['0.jpg'], categories)}
        files |= {f'images/{split}/0.jpg': None}
    return write(root, files)


def test_a_folder_that_the_config_describes_is_left_to_it(config, tmp_path):
    """Also with a file that is missing, which the check of the files names."""
    root = shapes_layout(tmp_path / 'own', [{'id': 1, 'name': 'square'}])
    assert use_own_data(config, 'own') is config
    own = Config({**config, 'own_data': True}, filename=config.filename)
    assert use_own_data(own, 'own').model.bbox_head.num_classes == 1
    (root / 'annotations' / 'instances_train.json').unlink()
    assert use_own_data(config, 'own') is config
    with pytest.raises(InputError, match='no annotation file .* is for training'):
        use_own_data(own, 'own')


def write_masks(names, values=(0, 1)):
    """Write pictures and masks of these values to ``own``."""
    for folder in ('images', 'masks'):
        Path('own', folder).mkdir(parents=True)
        for name in names:
            Image.fromarray(np.array([values], np.uint8)).save(Path('own', folder, f'{name}.png'))


def test_masks_of_0_and_255_are_read_as_two_classes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_masks('0123', (0, 255))
    steps = [
        {'type': 'LoadImage'},
        {'type': 'TestTimeAug', 'transforms': [[{'type': 'LoadAnnotations'}]]},
        {'type': 'LoadMask', 'num_classes': 4},
    ]
    before = make_mask_config(pipeline=steps).to_dict()
    model = {'decode_head': {'num_classes': 4}, 'auxiliary_head': [{'num_classes': 4}]}
    before |= {'model': model, 'tta_pipeline': steps, 'val_dataloader': before['train_dataloader']}
    found = use_own_data(named(before), 'own')
    assert found.model.decode_head.num_classes == 2
    assert found.model.auxiliary_head[0].num_classes == 2
    loading = {'type': 'vitbackbones.LoadMask', 'num_classes': 2, 'values': (0, 255), 'ignored': ()}
    for _, dataset in datasets(found):
        assert dataset.metainfo.classes == ('background', 'foreground')
        assert dataset.reduce_zero_label is False
        for pipeline in (dataset.pipeline, found.tta_pipeline):
            assert dict(pipeline[1].transforms[0][0]) == dict(pipeline[2]) == loading
    listed = [json.loads(Path(dataset.ann_file).read_text()) for _, dataset in datasets(found)]
    names = [{image for image, mask in pairs if image == mask} for pairs in listed]
    assert names[0] | names[1] == {f'{i}.png' for i in range(4)}
    assert not names[0] & names[1]
    assert capsys.readouterr().out.startswith('2 classes: background, foreground; 3 images for')


@pytest.mark.parametrize('split', ['valid', 'test'])
def test_a_split_without_objects_measures_nothing(config, tmp_path, capsys, split):
    file = roboflow(tmp_path / 'own') / split / '_annotations.coco.json'
    file.write_text(json.dumps(json.loads(file.read_text()) | {'annotations': []}))
    if split == 'valid':
        with pytest.raises(InputError, match=r'no image for val has .*nothing can be measured\.'):
            use_own_data(config, 'own')
        return
    found = use_own_data(config, 'own')
    assert found.test_dataloader.dataset.ann_file == found.val_dataloader.dataset.ann_file
    assert 'so test uses the val images' in capsys.readouterr().err
    with pytest.raises(InputError, match='no image for test has'):
        use_own_data(config, 'own', None, checkpoint_of(found))


def test_crowds_alone_are_refused_before_the_run(config, tmp_path):
    write(tmp_path / 'own', {f'{i}.jpg': None for i in range(9)})
    write(tmp_path / 'own', {'a.json': coco([f'{i}.jpg' for i in range(9)], iscrowd=1)})
    with pytest.raises(InputError, match=r'all 9 annotations are crowds .* Set iscrowd to 0'):
        use_own_data(config, 'own')


def test_a_file_is_chosen_and_a_folder_is_a_folder(config, tmp_path):
    root = roboflow(tmp_path / 'own')
    content = json.loads((root / 'train/_annotations.coco.json').read_text())
    write(root, {'train/b.json': content | {'images': content['images'][::-1]}})
    found = use_own_data(config, 'own', annotations=['train/b.json'])
    assert found.own_files[found.train_dataloader.dataset.ann_file] == str(root / 'train/b.json')
    for given, options, message in (
        ('nowhere', {}, '^--data-root nowhere: no such folder$'),
        ('own/train/b.json', {}, f'give the folder of the dataset, {root / "train"}$'),
        (None, {'annotations': ['b.json']}, '^--annotations: requires --data-root'),
    ):
        with pytest.raises(InputError, match=message):
            use_own_data(config, given, **options)


def weighted(**head):
    """A config of four classes, on pictures and masks of two in the folder ``own``."""
    write_masks('0123')
    made = make_mask_config(pipeline=[]).to_dict()
    loss = {'class_weight': [0.5, 2.0]}
    made |= {'model': {'decode_head': {'num_classes': 4, 'loss_decode': loss} | head}}
    for split in ('train', 'val'):
        made[f'{split}_dataloader'] = {'dataset': made['train_dataloader']['dataset']}
        made[f'{split}_dataloader']['dataset']['metainfo'] = {'classes': tuple('abcd')}
    return named(made)


def test_weights_of_the_classes_of_the_folder_are_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    head = use_own_data(weighted(), 'own').model.decode_head
    assert (head.num_classes, head.loss_decode.class_weight) == (2, [0.5, 2.0])


def test_another_number_of_classes_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r'decode_head\.num_classes: is 7, but .* 2 classes: back'):
        use_own_data(weighted(num_classes=7), 'own')


def test_patterns_are_for_masks(config, tmp_path, monkeypatch):
    write_masks('0123')
    patterns = {'pictures': 'images/{}.png', 'masks': 'masks/{}.png'}
    for name in patterns:
        with pytest.raises(InputError, match=f'--{name}: requires --data-root and a config'):
            use_own_data(config, 'own', **{name: patterns[name]})
    made = make_mask_config(pipeline=[]).to_dict() | {'model': {}}
    made['val_dataloader'] = made['train_dataloader']
    found = use_own_data(named(made), 'own', **patterns)
    assert found.train_dataloader.dataset.metainfo.classes == ('background', 'foreground')
    with pytest.raises(InputError, match=r'--pictures and --masks: give both options, for example'):
        use_own_data(named(made), 'own', pictures='images/{}.png')


def test_a_file_without_annotations_is_refused_as_such(config, tmp_path):
    write(tmp_path / 'own', {f'{i}.jpg': None for i in range(9)})
    content = coco([f'{i}.jpg' for i in range(9)]) | {'annotations': []}
    write(tmp_path / 'own', {'a.json': content})
    with pytest.raises(InputError, match=r'own/a\.json: no image has an object that counts'):
        use_own_data(config, 'own')


@pytest.mark.parametrize('key', ['ann_file', 'data_prefix.img', 'metainfo.classes', 'data_root'])
def test_files_of_an_option_are_not_ignored_beside_a_folder(config, tmp_path, key):
    roboflow(tmp_path / 'own')
    change = {f'train_dataloader.dataset.{key}': 'x'}
    with pytest.raises(InputError, match=f'--cfg-options .*{key}: has no effect with --data-root'):
        use_own_data(config, 'own', changes=change)
    use_own_data(config, 'own', changes={'train_dataloader.dataset.pipeline.0.x': 1, 'a.lr': 2})


def test_a_config_with_classes_of_its_own_keeps_them(tmp_path):
    checkpoint = tmp_path / 'run.pth'
    torch.save({'meta': {'dataset_meta': {'classes': ['a', 'b']}}, 'state_dict': {}}, checkpoint)
    own = Config({'model': {'bbox_head': {'num_classes': 7}}})
    assert take_classes_of(own, checkpoint) is own
    own.own_data = True
    assert take_classes_of(own, checkpoint).model.bbox_head.num_classes == 2
