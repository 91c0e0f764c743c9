"""Training from the maps of a frozen backbone that are kept: the same, and resumed to the bit."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
import torch
from mmengine.config import Config

from vitbackbones.backbones import MSFViT
from vitbackbones.data import shapes
from vitbackbones.data.loading import image_file
from vitbackbones.errors import InputError
from vitbackbones.preparing.hooks import add_guards, add_hooks
from vitbackbones.tasks.classification.dense_distillation import DenselyDistilled, network
from vitbackbones.training.frozen import use_freeze
from vitbackbones.training.hooks import cached_maps
from vitbackbones.training.precision import use_amp
from vitbackbones.training.stored_maps import ROW, StoredMaps

from ...commands.conftest import TINY, TINY_CLS, TINY_SEG
from ...isolation import process_of_its_own
from ..toy import run_toy
from .test_exact_resume import STOPS, Killed, latest_checkpoint, state

pytestmark = pytest.mark.compat
UNUSED = dict.fromkeys(('val_dataloader', 'val_cfg', 'val_evaluator'))
SAVING = {'type': 'vitbackbones.CheckpointHook', 'interval': 4, 'by_epoch': False}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    return tmp_path / 'cache' / 'vitbackbones' / 'maps'


@pytest.fixture(scope='module')
def data(tmp_path_factory):
    return shapes.write(tmp_path_factory.mktemp('data'), train=4, val=1, size=64)


def config(data, work_dir, *hooks, file=TINY_SEG, steps=8, random=True, **changes):
    settings = Config.fromfile(file)
    settings.model.backbone.init_cfg = None
    train = settings.train_dataloader
    train.update(num_workers=0, sampler={'type': 'InfiniteSampler', 'shuffle': True})
    train.dataset.data_root = str(data)
    if not random:
        steps_kept = ('LoadImage', 'LoadMask', 'LoadAnnotations', 'Resize', 'Pack')
        train.dataset.pipeline = [
            step
            for step in train.dataset.pipeline
            if any(k in step.type for k in steps_kept) and step.type != 'RandomResize'
        ]
    settings.train_cfg = {'by_epoch': False, 'max_iters': steps}
    settings.default_hooks.checkpoint = SAVING
    settings.param_scheduler = None
    settings.update(work_dir=str(work_dir), custom_hooks=list(hooks), **UNUSED, **changes)
    return add_guards(use_freeze(settings, 'backbone'))


def keeping(settings, gb=1.0, views=3):
    return add_hooks(settings, 'CachedMapsHook', gb=gb, views=views)


def losses(runner):
    return [float(loss) for loss in runner.message_hub.log_scalars['train/loss'].data[0]]


def count_calls(monkeypatch, target, name):
    """Count the calls of a function; how often it was called is ``counter.calls``."""
    counter, function = SimpleNamespace(calls=0), getattr(target, name)

    def counted(*arguments, **options):
        counter.calls += 1
        return function(*arguments, **options)

    monkeypatch.setattr(target, name, counted)
    return counter


@pytest.mark.parametrize('file', [TINY, TINY_SEG])
def test_losses_are_those_without_a_cache(data, tmp_path, file):
    plain = losses(run_toy(keeping(config(data, tmp_path / 'plain', file=file), gb=None)))
    first = losses(run_toy(keeping(config(data, tmp_path / 'first', file=file))))
    again = losses(run_toy(keeping(config(data, tmp_path / 'again', file=file))))
    assert first == pytest.approx(plain, rel=2e-3)
    assert again == first


def test_maps_are_kept_in_mixed_precision(data, tmp_path):
    first = losses(run_toy(use_amp(keeping(config(data, tmp_path / 'first')))))
    again = losses(run_toy(use_amp(keeping(config(data, tmp_path / 'again')))))
    assert again == first


def test_pictures_without_draws_need_no_views(data, tmp_path):
    plain = losses(run_toy(config(data, tmp_path / 'plain', random=False)))
    kept = losses(run_toy(keeping(config(data, tmp_path / 'kept', random=False), views=None)))
    assert kept == pytest.approx(plain, rel=2e-3)


def test_nothing_is_computed_or_decoded_twice(data, tmp_path, monkeypatch):
    computed = count_calls(monkeypatch, MSFViT, 'forward')
    decoded = count_calls(monkeypatch, image_file, 'decode')
    run_toy(keeping(config(data, tmp_path / 'first', steps=40), views=2))
    assert computed.calls == 1 + 4 * 2  # one for the shapes
    assert decoded.calls == 4 * 2
    run_toy(keeping(config(data, tmp_path / 'second', steps=4), views=2))
    assert computed.calls == 2 + 4 * 2
    assert decoded.calls == 4 * 2


def test_views_are_the_same_with_workers_and_without(data, tmp_path):
    one = losses(run_toy(keeping(config(data, tmp_path / 'one'))))
    settings = keeping(config(data, tmp_path / 'two'))
    settings.train_dataloader.num_workers = 1
    assert losses(run_toy(settings)) == one


def test_a_black_picture_is_decoded_where_its_padding_was_another(data, tmp_path, monkeypatch):
    def sized():  # pictures of several sizes, padded to the largest of a batch
        settings = config(data, tmp_path / 'run', steps=12, file=TINY)
        resize = {'type': 'RandomResize', 'scale': (64, 64), 'ratio_range': (0.5, 1.5)}
        settings.train_dataloader.dataset.pipeline[1] = {**resize, 'keep_ratio': True}
        settings.work_dir = str(tmp_path / str(len(os.listdir(tmp_path))))
        return settings

    plain = losses(run_toy(keeping(sized(), gb=None)))
    decoded = count_calls(monkeypatch, cached_maps.CachedMapsHook, '_decoded')
    kept = losses(run_toy(keeping(sized())))
    # maps in half precision; later on the matching of boxes makes much of little
    assert kept[:8] == pytest.approx(plain[:8], rel=5e-3)
    assert decoded.calls


@pytest.mark.parametrize('removed', [False, True], ids=['kept', 'removed'])
def test_resumed_equals_uninterrupted(data, tmp_path, cache, removed):
    whole = run_toy(keeping(config(data, tmp_path / 'whole')))
    shutil.rmtree(cache)
    with process_of_its_own(), pytest.raises(Killed):
        run_toy(keeping(config(data, tmp_path / 'stopped', STOPS['killed'])))
    if removed:
        shutil.rmtree(cache)
    latest = str(latest_checkpoint(tmp_path / 'stopped'))
    again = {'resume': True, 'load_from': latest}
    resumed = run_toy(keeping(config(data, tmp_path / 'stopped', **again)))
    assert state(resumed) == state(whole)


def test_a_bound_that_is_too_low_says_what_is_needed(data, tmp_path):
    text = '^--cache-gb 1e-06: 3 x 4 images of 64 x 64 with feature maps of 0.0041 MB require 4.9'
    with pytest.raises(InputError, match=text):
        run_toy(keeping(config(data, tmp_path / 'run'), gb=1e-6))


def test_what_the_disk_has_no_room_for_is_refused(data, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, 'disk_usage', lambda folder: SimpleNamespace(free=9000))
    with pytest.raises(
        InputError, match='the feature maps require 4.92e-05 GB, but .*has only 9e-06 GB left'
    ):
        run_toy(keeping(config(data, tmp_path / 'run')))


def keys(cache):
    return {folder.name for folder in cache.iterdir()}


def test_other_weights_pipelines_draws_and_pictures_have_maps_of_their_own(data, tmp_path, cache):
    def run(change=lambda settings: None, root=data):
        settings = config(root, tmp_path / str(len(os.listdir(tmp_path))), steps=1)
        change(settings)
        run_toy(keeping(settings))
        return len(keys(cache))

    moved = tmp_path / 'moved'
    shutil.copytree(data, moved)
    assert run() == 1
    assert run() == 1
    assert run(lambda settings: settings.randomness.update(seed=1)) == 2  # weights and draws
    assert run(lambda settings: settings.train_dataloader.dataset.pipeline.pop(4)) == 3
    assert run(lambda settings: settings.model.data_preprocessor.update(std=[32.0] * 3)) == 4
    assert run(root=moved) == 5
    os.utime(next((moved / 'images' / 'train').iterdir()), (1, 1))
    assert run(root=moved) == 6


def test_labels_that_were_changed_in_place_have_maps_of_their_own(data, tmp_path, cache):
    """RandomCrop looks at the mask: the maps of its earlier crops are of other places."""
    own = tmp_path / 'own'
    shutil.copytree(data, own)
    mask = next((own / 'annotations' / 'train').iterdir())

    def crops():
        settings = config(own, tmp_path / str(len(os.listdir(tmp_path))), steps=1)
        runner = run_toy(keeping(settings))
        hook = next(each for each in runner.hooks if hasattr(each, 'maps'))
        index = next(i for i in range(4) if mask.stem in hook.data.path(i))
        drawn = [hook.data.draw(index, number)['inputs'] for number in range(3)]
        return keys(cache), torch.stack(drawn)

    before, first = crops()
    pixels = cv2.imread(str(mask), cv2.IMREAD_UNCHANGED)
    pixels[:, : pixels.shape[1] // 2] = 1
    cv2.imwrite(str(mask), pixels)
    after, second = crops()
    assert not torch.equal(first, second)
    assert len(after - before) == 1


def test_random_pipelines_need_views(data, tmp_path):
    with pytest.raises(InputError, match='pipeline is random'):
        run_toy(keeping(config(data, tmp_path / 'run'), views=None))


def test_batches_that_are_mixed_are_refused(tmp_path):
    folders = shapes.write(tmp_path / 'data', train=6, val=3, size=48, layout='folders')
    settings = config(folders, tmp_path / 'run', file=TINY_CLS)
    settings.model.train_cfg = {'augments': [{'type': 'Mixup', 'alpha': 0.8}]}
    settings.default_hooks.ema = None
    with pytest.raises(InputError, match='data_preprocessor.batch_augments changes the images'):
        run_toy(keeping(settings, views=1))


# ------------------------------------------------------------------------ of a teacher

TEACHER = {'teacher': 'timm:test_efficientnet', 'teacher_size': 64, 'pairs': [(0, 3, 48)]}


def taught(data, work_dir, *hooks, steps=8, **changes):
    """A tiny classifier that learns the maps of a network of timm."""
    settings = Config.fromfile(TINY_CLS)
    settings.model.backbone.update(init_cfg=None, out_type='featmap')
    model = {'type': 'vitbackbones.DenselyDistilled', 'neck': {'type': 'GlobalAveragePooling'}}
    model['teacher_checkpoint'] = str(data.parent / 'teacher.pth')
    settings.model.update(**model, **TEACHER, train_cfg=None)
    train = settings.train_dataloader
    train.update(num_workers=0, sampler={'type': 'InfiniteSampler', 'shuffle': True}, batch_size=2)
    train.dataset.data_root = str(data)
    settings.train_cfg = {'by_epoch': False, 'max_iters': steps}
    settings.default_hooks.update(checkpoint=SAVING, ema=None)
    settings.param_scheduler = None
    settings.update(work_dir=str(work_dir), custom_hooks=list(hooks), **UNUSED, **changes)
    return keeping(add_guards(settings), views=2)


@pytest.fixture(scope='module')
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp('folders')
    torch.save(network(TEACHER['teacher']).state_dict(), root / 'teacher.pth')
    return shapes.write(root / 'data', train=4, val=3, size=48, layout='folders')


def test_a_teacher_is_asked_once_for_each_view(folders, tmp_path, monkeypatch):
    asked = count_calls(monkeypatch, DenselyDistilled, 'teach')
    first = losses(run_toy(taught(folders, tmp_path / 'first', steps=40)))
    assert asked.calls == 1 + 4 * 2  # one for the shapes
    again = losses(run_toy(taught(folders, tmp_path / 'again', steps=40)))
    assert asked.calls == 2 + 4 * 2
    assert again == first


def test_a_teacher_is_asked_in_mixed_precision(folders, tmp_path):
    plain = losses(run_toy(taught(folders, tmp_path / 'plain')))
    amp = losses(run_toy(use_amp(taught(folders, tmp_path / 'amp'))))
    assert amp == pytest.approx(plain, rel=0.05)


def test_a_student_sees_its_pictures_and_learns_what_it_learns_without_a_cache(folders, tmp_path):
    settings = taught(folders, tmp_path / 'plain')
    settings.custom_hooks[-1]['gb'] = None
    plain = losses(run_toy(settings))
    assert losses(run_toy(taught(folders, tmp_path / 'kept'))) == pytest.approx(plain, rel=2e-3)


def test_a_taught_run_resumes_to_the_bit(folders, tmp_path, cache):
    whole = run_toy(taught(folders, tmp_path / 'whole'))
    shutil.rmtree(cache)
    with process_of_its_own(), pytest.raises(Killed):
        run_toy(taught(folders, tmp_path / 'stopped', STOPS['killed']))
    latest = str(latest_checkpoint(tmp_path / 'stopped'))
    again = {'resume': True, 'load_from': latest}
    assert state(run_toy(taught(folders, tmp_path / 'stopped', **again))) == state(whole)


def test_another_size_of_the_teacher_has_answers_of_its_own(folders, tmp_path, cache):
    run_toy(taught(folders, tmp_path / 'first', steps=1))
    settings = taught(folders, tmp_path / 'second', steps=1)
    settings.model.label_weight = 0.5
    run_toy(settings)
    assert len(keys(cache)) == 1
    settings = taught(folders, tmp_path / 'third', steps=1)
    settings.model.teacher_size = 96
    run_toy(settings)
    assert len(keys(cache)) == 2


# ------------------------------------------------------------------------ the files

NUMBERS = np.arange(5, dtype=np.float16)
VIEW = (1, 2, 64, 64)


def test_what_is_stored_is_found_by_another_process(tmp_path):
    StoredMaps(tmp_path / 'key', 100).add(VIEW, NUMBERS)
    other = StoredMaps(tmp_path / 'key', 100)
    assert np.array_equal(other.find(VIEW), NUMBERS)
    assert other.find((1, 2, 64, 96)) is None
    assert other.draws == {(1, 2)}


def test_nothing_is_stored_beyond_the_bound(tmp_path):
    maps = StoredMaps(tmp_path / 'key', 19)
    maps.add(VIEW, NUMBERS)
    maps.add((2, 2, 64, 64), NUMBERS)
    assert maps.find((2, 2, 64, 64)) is None
    assert (tmp_path / 'key' / 'maps').stat().st_size == 10


def test_a_killed_writer_loses_nothing_and_leaves_nothing(tmp_path):
    maps = StoredMaps(tmp_path / 'key', 100)
    maps.add(VIEW, NUMBERS)
    for name, size in (('maps', 7), ('index', ROW.itemsize - 1)):  # it was killed in between
        with open(tmp_path / 'key' / name, 'ab') as file:
            file.write(bytes(range(100))[:size])
    later = StoredMaps(tmp_path / 'key', 100)
    later.add((3, 0, 64, 64), NUMBERS + 1)
    for each in (maps, later, StoredMaps(tmp_path / 'key', 100)):
        assert np.array_equal(each.find(VIEW), NUMBERS)
        assert np.array_equal(each.find((3, 0, 64, 64)), NUMBERS + 1)


def test_a_damaged_entry_is_none_and_is_stored_again(tmp_path):
    maps = StoredMaps(tmp_path / 'key', 100)
    maps.add(VIEW, NUMBERS)
    (tmp_path / 'key' / 'maps').write_bytes(bytes(10))
    assert maps.find(VIEW) is None
    maps.add(VIEW, NUMBERS)
    assert np.array_equal(maps.find(VIEW), NUMBERS)


def test_processes_write_in_turn(tmp_path):
    code = (
        'import sys, numpy as np; from pathlib import Path;'
        'from vitbackbones.training.stored_maps import StoredMaps;'
        'maps = StoredMaps(Path(sys.argv[1]), 10**6); who = int(sys.argv[2]);'
        '[maps.add((i, who, 8, 8), np.full(50, i + 1000 * who, np.float16)) for i in range(100)]'
    )
    words = [sys.executable, '-c', code, str(tmp_path / 'key')]
    for process in [subprocess.Popen([*words, str(who)]) for who in (0, 1)]:
        assert process.wait(timeout=100) == 0
    maps = StoredMaps(tmp_path / 'key', 10**6)
    for i in range(100):
        for who in (0, 1):
            assert (maps.find((i, who, 8, 8)) == np.float16(i + 1000 * who)).all()


def test_folders_that_were_not_used_longest_make_room(tmp_path):
    for age, name in enumerate(('new', 'old')):
        StoredMaps(tmp_path / name, 100).add(VIEW, NUMBERS)
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    room = sum(file.stat().st_size for file in (tmp_path / 'new').iterdir())
    StoredMaps(tmp_path / 'mine', 10 + room).make_room(10)
    assert {each.name for each in tmp_path.iterdir()} == {'new', 'mine'}


def test_maps_beyond_half_precision_are_refused(data, tmp_path):
    settings = keeping(config(data, tmp_path / 'run'))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cached_maps, 'LARGEST', 0.0)
        with pytest.raises(InputError, match='exceed 0.0, the largest number in half'):
            run_toy(settings)
    assert torch.finfo(torch.half).max == cached_maps.LARGEST
