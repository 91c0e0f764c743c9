"""Checkpoint files and their pickles, assembled byte by byte: words that no writer would write."""

import io
import json
import pickle
import struct
import zipfile

import torch

# ------------------------------------------------------------------------ pickles


def put(value):
    """The operations that put a plain value on the stack."""
    return pickle.dumps(value, 2)[2:-1]


def name(module, attribute):
    return f'c{module}\n{attribute}\n'.encode()


def named(path):
    return name(*path.rpartition('.')[::2])


def call(function, *arguments):
    return function + b'(' + b''.join(arguments) + b't' + pickle.REDUCE


def new(cls, state):
    return cls + b')' + pickle.NEWOBJ + state + pickle.BUILD


def entries(**items):
    return b'}(' + b''.join(put(key) + value for key, value in items.items()) + b'u'


def whole(body, protocol=2):
    return b'\x80' + bytes([protocol]) + body + b'.'


# ------------------------------------------------------------------------ files


def archive(body, records=(), root='archive', compression=zipfile.ZIP_STORED, protocol=2):
    """A torch file whose pickle holds ``body`` beside an empty state dict."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, 'w', compression) as target:
        content = whole(entries(state_dict=b'}', x=body), protocol)
        for key, value in {'data.pkl': content, 'version': b'3\n', **dict(records)}.items():
            target.writestr(f'{root}/{key}', value)
    return file.getvalue()


def legacy(body, keys=(), tail=b''):
    """The same in the format before torch 1.6."""
    start = b''.join(pickle.dumps(part, 2) for part in (0x1950A86A20F9469CFC6C, 1001, {}))
    return start + whole(entries(state_dict=b'}', x=body)) + pickle.dumps([*keys], 2) + tail


def saved(content):
    file = io.BytesIO()
    torch.save(content, file)
    return file.getvalue()


def storage(kind='FloatStorage', key='0', count=1, place='torch', more=b''):
    """The words in which torch's pickles refer to the bytes of a tensor."""
    parts = put('storage') + name(place, kind) + put(key) + put('cpu') + put(count)
    return b'(' + parts + more + b'tQ'


def tensor(size=(1,), stride=(1,), offset=0, count=1, key='0', kind='FloatStorage', place='torch'):
    """A tensor in the words of torch's pickles."""
    rebuild = name('torch._utils', '_rebuild_tensor_v2')
    arguments = (
        put(offset),
        put(size),
        put(stride),
        put(False),
        call(name('collections', 'OrderedDict')),
    )
    return call(rebuild, storage(kind, key, count, place), *arguments)


def safetensors(header, data=b''):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack('<Q', len(text)) + text + data


# ------------------------------------------------------------------------ numpy, mmengine

RECONSTRUCT = name('numpy.core.multiarray', '_reconstruct')
ENCODE = name('_codecs', 'encode')
HISTORY = name('mmengine.logging.history_buffer', 'HistoryBuffer')


def dtype(kind='f8', order='<', *rest):
    state = put((3, order, *(rest or (None, None, None, -1, -1, 0))))
    return call(name('numpy', 'dtype'), put(kind), put(False), put(True)) + state + pickle.BUILD


def raw(data):
    return call(ENCODE, put(data.decode('latin1')), put('latin1'))


EMPTY_ARRAY = call(RECONSTRUCT, name('numpy', 'ndarray'), put((0,)), raw(b'b'))


def array(kind=None, data=bytes(8), shape=(1,)):
    """A numpy array in the words of numpy's pickles."""
    state = b'(' + put(1) + put(shape) + (kind or dtype()) + put(False) + raw(data) + b't'
    return EMPTY_ARRAY + state + pickle.BUILD


def history(values, counts=None, **more):
    state = entries(_log_history=values, _count_history=counts or values, max_length=put(9), **more)
    return new(HISTORY, state)


OBJECTS = call(name('numpy', 'dtype'), put('O'), put(False), put(True))
POINTERS = call(name('numpy', 'ndarray'), put((1,)), OBJECTS, raw(b'A' * 8))
GETATTR = name('__builtin__', 'getattr')
