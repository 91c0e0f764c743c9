"""What a checkpoint may hold is read exactly; what is wrong with a file is said."""

import argparse
import io
import json
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from mmengine.logging import HistoryBuffer
from safetensors.torch import save_file
from torch import nn

from vitbackbones.errors import InputError
from vitbackbones.weights.read.load import load_file, read_data

from ... import assembled

pytestmark = pytest.mark.compat
FORMATS = pytest.mark.parametrize('zipped', [True, False], ids=['zip', 'legacy'])
FLOATS = ('float16', 'bfloat16', 'float32', 'float64', 'float8_e4m3fn', 'float8_e5m2')
INTEGERS = ('uint8', 'int8', 'int16', 'int32', 'int64', 'uint16', 'uint32', 'uint64')


def roundtrip(content, path, zipped=True):
    torch.save(content, path, _use_new_zipfile_serialization=zipped)
    return load_file(path)


@FORMATS
def test_tensors_of_every_type(tmp_path, zipped):
    numbers = torch.tensor([[0.0, 1, 2], [3, 4, 5]]).long()
    stored = {kind: numbers.to(getattr(torch, kind)) for kind in ('bool', *INTEGERS, *FLOATS)}
    loaded = roundtrip(stored, tmp_path / 'w.pth', zipped)
    for kind, value in stored.items():
        assert loaded[kind].dtype == value.dtype
        assert torch.equal(loaded[kind].double(), value.double()), kind


@FORMATS
def test_shapes_strides_and_shared_memory(tmp_path, zipped):
    """Names that share memory may be many; FSDP leaves attributes on its tensors."""
    base = torch.randn(60, 40)
    base.note = 'left out'
    stored = {'rows': base[1:3], 'turned': base.t(), 'number': base[0, 0], 'none': base[:0]}
    stored |= {f'heads.{i}': base for i in range(7)}
    stored['expanded'] = torch.arange(3.0)[:, None].expand(3, 5)
    loaded = roundtrip(stored, tmp_path / 'w.pth', zipped)
    for key, value in stored.items():
        assert (loaded[key].shape, loaded[key].stride()) == (value.shape, value.stride())
        assert torch.equal(loaded[key], value)
        assert not vars(loaded[key])
    loaded['rows'].zero_()
    assert (loaded['turned'][:, 1:3] == 0).all()


@FORMATS
def test_small_parts_without_end_are_refused(tmp_path, zipped, monkeypatch):
    monkeypatch.setattr('vitbackbones.weights.read.torch_files.OPERATIONS', 1000)
    with pytest.raises(InputError, match='it contains more than 1000 parts'):
        roundtrip({'w': [set() for _ in range(1000)]}, tmp_path / 'w.pth', zipped)


@FORMATS
def test_arrays_numbers_and_plain_objects(tmp_path, zipped):
    stored = {
        'rows': np.arange(6.0).reshape(2, 3),
        'columns': np.asfortranarray(np.arange(6).reshape(2, 3)),
        'none': np.zeros((0, 3), np.float32),
        'numbers': [np.float64(3.5), np.int64(-2), np.uint8(7), np.bool_(True), np.float16(1)],
        'plain': [None, True, -5, 2**70, 1e300, 'ü', b'', b'\xff', (1, 2, 3, 4), {1, 2}],
        'args': argparse.Namespace(lr=0.1, betas=[0.9, 0.99]),
        'no args': argparse.Namespace(),
        'path': Path('/a/b'),
        'milestones': Counter([8, 11]),
        'torch': [torch.Size([1, 2]), torch.device('cuda:1'), torch.float16],
    }
    loaded = roundtrip(stored, tmp_path / 'x.pth', zipped)
    for key in ('rows', 'columns', 'none'):
        np.testing.assert_array_equal(loaded[key], stored[key], strict=True)
    assert loaded['columns'].flags['F_CONTIGUOUS']
    assert loaded.pop('path') == '/a/b'
    for key in loaded.keys() - {'rows', 'columns', 'none'}:
        assert loaded[key] == stored[key], key
    assert list(map(type, loaded['numbers'])) == list(map(type, stored['numbers']))


@pytest.mark.parametrize('module', ['numpy.core', 'numpy._core'])
def test_arrays_of_both_numpys(module):
    theirs = pickle.dumps({'a': np.arange(3), 'b': np.float32(2)}, 2)
    own = b'numpy._core' if b'numpy._core' in theirs else b'numpy.core'
    loaded = read_data(io.BytesIO(theirs.replace(own, module.encode())), 'x.pkl')
    assert loaded['a'].tolist() == [0, 1, 2]
    assert loaded['b'] == np.float32(2)


@pytest.mark.parametrize('protocol', [2, 4])
def test_tensors_in_a_pickle_of_predictions(protocol):
    numbers = torch.arange(6.0).view(2, 3)
    found = {'scores': numbers[:, 1], 'labels': torch.tensor([1, 0]), 'sure': numbers > 2}
    loaded = read_data(io.BytesIO(pickle.dumps([found], protocol)), 'x.pkl')
    for key, value in found.items():
        assert torch.equal(loaded[0][key], value)


INSIDE = {
    'a text': 'text',
    'a zip file': assembled.saved({}),
    'a checkpoint': assembled.legacy(b'}'),
    'no file of torch': pickle.dumps(1),
    'a call': assembled.legacy(assembled.call(assembled.name('os', 'mkdir'), assembled.put('x'))),
}


@pytest.mark.parametrize('inside', INSIDE)
def test_bytes_of_a_tensor_are_nothing_else(inside):
    load = assembled.name('torch.storage', '_load_from_bytes')
    content = assembled.whole(assembled.call(load, assembled.put(INSIDE[inside])))
    with pytest.raises(InputError, match=r'x\.pkl'):
        read_data(io.BytesIO(content), 'x.pkl')
    assert not Path('x').exists()


def test_a_loss_history_goes_on(tmp_path):
    history = HistoryBuffer()
    for value in (1.0, 3.0):
        history.update(value, 2)
    once = roundtrip({'loss': history, 'new': HistoryBuffer()}, tmp_path / 'x.pth')
    again = roundtrip(once, tmp_path / 'x.pth')['loss']
    again.update(6.0, 1)
    assert type(again) is HistoryBuffer
    assert [array.tolist() for array in again.data] == [[1, 3, 6], [2, 2, 1]]
    assert again.statistics('mean') == 2
    assert len(once['new'].data[0]) == 0


def test_versions_of_modules_are_kept_and_the_text_of_a_config_is_left_out(tmp_path):
    state = nn.BatchNorm1d(2).state_dict()
    assert roundtrip(state, tmp_path / 'w.pth')._metadata == state._metadata
    info = {'cfg': 'a', 'config': 'b', 'epoch': 1}
    stored = {'meta': info, 'message_hub': {'runtime_info': info, 'log_scalars': {}}}
    loaded = roundtrip(stored, tmp_path / 'x.pth')
    info = {'epoch': 1}
    assert loaded == {'meta': info, 'message_hub': {'runtime_info': info, 'log_scalars': {}}}


def test_no_checkpoint_says_what_may_be_deleted_elsewhere(tmp_path):
    """mmengine removes the file or folder ``best_ckpt`` when a better one is found."""
    own, foreign = tmp_path / 'best_x.pth', tmp_path / 'other' / 'best_x.pth'
    moved = dict.fromkeys(('best_ckpt', 'best_ckpt_bbox'), str(own))
    for path in (own, foreign, f'{tmp_path}/a/../best_x.pth', 'best_x.pth'):
        assert kept_of(str(path), tmp_path) == {**moved, 'best_score': 0.5}
    for path in (str(tmp_path / 'notes.pth'), '/', f'{foreign}/..', '', 5):
        assert kept_of(path, tmp_path) == {'best_score': 0.5}


def kept_of(path, folder):
    """What is left of the runtime information that has a path as its best checkpoints."""
    info = {'best_ckpt': path, 'best_ckpt_bbox': path, 'best_score': 0.5}
    loaded = roundtrip({'message_hub': {'runtime_info': info}}, folder / 'epoch_1.pth')
    return loaded['message_hub']['runtime_info']


@pytest.mark.parametrize(
    ('content', 'reason'),
    [
        (b'<!DOCTYPE html>', 'is not a torch checkpoint, or is damaged (it is a web page'),
        (b'\n<html>', 'it is a web page, perhaps the response to a wrong address'),
        (b'version https://git-lfs.github.com/spec/v1\n', 'it is a Git LFS pointer'),
        (b'hello', 'is not a torch checkpoint, or is damaged'),
    ],
)
def test_what_is_mistaken_for_a_checkpoint_is_named(tmp_path, content, reason):
    (tmp_path / 'x.pth').write_bytes(content)
    with pytest.raises(InputError) as error:
        load_file(tmp_path / 'x.pth')
    assert reason in str(error.value)
    assert 'rust' not in str(error.value)  # no advice to trust a web page


def test_a_refusal_names_the_object_in_one_line(tmp_path):
    """It gives no advice to load unsafely, and no control characters reach the terminal."""
    (tmp_path / 'x.pth').write_bytes(b'\x80\x02cos\n\x1b[31m' + b'x' * 1000 + b'\n.')
    with pytest.raises(InputError, match=r'x\.pth: refused, because it contains os\.') as error:
        load_file(tmp_path / 'x.pth')
    assert not {'\n', '\x1b'} & {*str(error.value)}
    assert 'weights_only' not in str(error.value)
    assert len(str(error.value)) < 500


MISUSED = [  # a name of the list, arguments of it, what is refused
    ('collections.OrderedDict', ['ab'], 'a damaged OrderedDict'),
    ('collections.Counter', ['ab'], 'a damaged Counter'),
    ('__builtin__.set', ['ab'], 'a damaged set'),
    ('_codecs.encode', ['a', 'utf-16'], 'damaged bytes'),
    ('_codecs.encode', [b'a', 'latin1'], 'damaged bytes'),
    ('torch.device', [(1,)], 'a damaged device'),
    ('torch.Size', [(-1,)], 'a damaged size'),
    ('torch.Size', [[1]], 'a damaged size'),
    ('torch._utils._rebuild_parameter', [1], 'a parameter without a tensor'),
    ('torch._utils._rebuild_tensor_v2', [1, 0, (), ()], 'a tensor of an unknown kind'),
    ('torch._utils._rebuild_tensor_v3', [1, 0, (), (), False, {}, 1], 'a tensor of an unknown kin'),
    ('torch._tensor._rebuild_from_type_v2', [1, 2, (), {}], 'a tensor of an unknown class'),
    ('numpy.dtype', ['O'], 'a numpy array that does not hold numbers'),
    ('numpy.core.multiarray.scalar', [1, b'a'], 'a damaged numpy number'),
]


@pytest.mark.parametrize(('name', 'arguments', 'reason'), MISUSED)
def test_a_name_of_the_list_takes_only_what_such_an_object_holds(tmp_path, name, arguments, reason):
    body = assembled.call(assembled.named(name), *map(assembled.put, arguments))
    (tmp_path / 'x.pth').write_bytes(assembled.archive(body))
    with pytest.raises(InputError, match=f'refused, because it contains {reason}'):
        load_file(tmp_path / 'x.pth')


def test_tensors_of_the_old_format_fit_into_the_file_together(tmp_path):
    """Memory for them is taken before their bytes are reached."""
    counts = range(50, 80)  # of four bytes each
    tensors = [assembled.tensor(count=count, key=str(count)) for count in counts]
    content = assembled.legacy(b'(' + b''.join(tensors) + b't')
    assert 4 * max(counts) < len(content) < 4 * sum(counts)
    (tmp_path / 'x.pth').write_bytes(content)
    with pytest.raises(
        InputError, match='refused, because it contains more bytes than the file has'
    ):
        load_file(tmp_path / 'x.pth')


@pytest.mark.parametrize(
    'arrays',
    [
        [assembled.array(shape=(1, 1))],
        [assembled.array(), assembled.array(shape=(1, 1))],
        [assembled.array(), assembled.put([1.0])],
        [assembled.array(data=bytes(80), shape=(10,))],  # of at most nine
    ],
)
def test_a_loss_history_is_two_rows_of_numbers(tmp_path, arrays):
    (tmp_path / 'x.pth').write_bytes(assembled.archive(assembled.history(*arrays)))
    with pytest.raises(InputError, match='refused, because it contains a damaged loss history'):
        load_file(tmp_path / 'x.pth')


# ------------------------------------------------------------------------ form


@pytest.mark.parametrize(
    ('content', 'message'),
    [
        ({'meta': []}, 'meta is of type list'),
        ({'meta': {'dataset_meta': 'x'}}, 'meta.dataset_meta is of type str'),
        ({'meta': {'dataset_meta': {'classes': 3}}}, 'meta.dataset_meta.classes is of type int'),
        ({'meta': {'dataset_meta': {'classes': ['a', 1]}}}, 'the name of a class is of type int'),
        ({'meta': {'dataset_meta': {1: 'a'}}}, 'a key of dataset_meta is of type int'),
        ({'state_dict': []}, 'state_dict is of type list'),
        ({'state_dict': {1: torch.ones(1)}}, 'a key of state_dict is of type int'),
        ({1: torch.ones(1)}, 'a key is of type int'),
        ({'message_hub': [1]}, 'message_hub is of type list'),
        ({'message_hub': {'runtime_info': 1}}, 'message_hub.runtime_info is of type int'),
    ],
)
def test_content_of_a_wrong_form_is_named(tmp_path, content, message):
    torch.save(content, tmp_path / 'x.pth')
    with pytest.raises(InputError) as error:
        load_file(tmp_path / 'x.pth')
    assert str(error.value).startswith(f'{tmp_path}/x.pth: ')
    assert message in str(error.value)


def test_safetensors_may_name_their_classes(tmp_path):
    file, state = tmp_path / 'w.safetensors', {'w': torch.arange(3.0)}
    save_file(state, file, {'format': 'pt'})
    assert load_file(file)['w'].tolist() == [0, 1, 2]
    save_file(state, file, {'format': 'pt', 'dataset_meta': '{"classes": ["cat", "dog"]}'})
    content = load_file(file)
    assert content['meta'] == {'dataset_meta': {'classes': ['cat', 'dog']}}
    assert content['state_dict']['w'].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    'text', ['{', '3', '{"classes": 3}', '{"classes": [3]}', '[' * 100000], ids=range(5)
)
def test_safetensors_with_classes_that_are_none_are_refused(tmp_path, text):
    save_file({'w': torch.ones(1)}, tmp_path / 'w.safetensors', {'dataset_meta': text})
    with pytest.raises(InputError, match='damaged'):
        load_file(tmp_path / 'w.safetensors')


@pytest.mark.parametrize(
    'palette',
    [3, [[1, 2, 3]], [[0, 0, 0], [1, 2]], [[0, 0, [0]]] * 2, [[0, 0, 256]] * 2],
    ids=range(5),
)
def test_a_palette_without_a_color_for_each_class_is_left_out(tmp_path, palette):
    file, meta = tmp_path / 'w.safetensors', {'classes': ['cat', 'dog'], 'palette': palette}
    save_file({'w': torch.ones(1)}, file, {'dataset_meta': json.dumps(meta)})
    assert load_file(file)['meta']['dataset_meta'] == {'classes': ['cat', 'dog']}
    meta['palette'] = [[0, 0, 0], [255, 0, 9]]
    save_file({'w': torch.ones(1)}, file, {'dataset_meta': json.dumps(meta)})
    assert load_file(file)['meta']['dataset_meta'] == meta


LONG_TUPLE = b'(' + b'K\x01' * 65 + b'tq\x01'


@pytest.mark.parametrize(
    ('content', 'reason'),
    [
        (LONG_TUPLE + b'}(h\x01Nu.', 'long tuples'),
        (b'}((' + b'K\x01' * 65 + b'tNu.', 'long tuples'),
        (b'}(\x8a\x09' + b'\x01' * 9 + b'Nu.', 'beyond 64 bits'),
        (b'cbuiltins\nset\n](\x8a\x09' + b'\x01' * 9 + b'e\x85R.', 'beyond 64 bits'),
    ],
)
def test_keys_that_take_hours_to_hash_are_refused(content, reason):
    with pytest.raises(InputError, match=reason):
        read_data(io.BytesIO(b'\x80\x02' + content), 'x.pkl')
