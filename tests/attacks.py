"""Checkpoint files that try to do more than hold weights.

``ATTACKS`` maps a name to (suffix, content). Whatever runs code makes the folder ``CANARY``.
"""

import io
import os
import pickle
import struct
import tarfile
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import torch

from .assembled import (
    EMPTY_ARRAY,
    ENCODE,
    GETATTR,
    HISTORY,
    OBJECTS,
    POINTERS,
    RECONSTRUCT,
    archive,
    array,
    call,
    dtype,
    entries,
    history,
    legacy,
    name,
    named,
    new,
    put,
    raw,
    safetensors,
    saved,
    storage,
    tensor,
    whole,
)

CANARY = Path(tempfile.gettempdir(), f'canary-{os.getpid()}')
SHELL = f'mkdir {CANARY}'
CODE = f'__import__("os").mkdir({str(CANARY)!r})'


def tar():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode='w') as target:
        for part in ('storages', 'tensors', 'pickle'):
            content = whole(call(name('os', 'system'), put(SHELL)))
            info = tarfile.TarInfo(part)
            info.size = len(content)
            target.addfile(info, io.BytesIO(content))
    return file.getvalue()


# ------------------------------------------------------------------------ names that run code

CALLS = {
    'os.system': SHELL,
    'posix.system': SHELL,
    'nt.system': SHELL,
    'os.mkdir': str(CANARY),
    'os.popen': SHELL,
    'builtins.eval': CODE,
    'builtins.exec': CODE,
    '__builtin__.eval': CODE,
    '__builtin__.execfile': CODE,
    'builtins.compile': CODE,
    'builtins.__import__': 'os',
    'builtins.open': str(CANARY),
    'builtins.getattr': CODE,
    'subprocess.check_output': ['mkdir', str(CANARY)],
    'subprocess.Popen': ['mkdir', str(CANARY)],
    'commands.getoutput': SHELL,
    'runpy.run_path': str(CANARY),
    'runpy._run_code': CODE,
    'importlib.import_module': 'os',
    'marshal.loads': CODE,
    'pickle.loads': CODE,
    '_pickle.loads': CODE,
    'pty.spawn': ['mkdir', str(CANARY)],
    'timeit.timeit': CODE,
    'code.InteractiveInterpreter': CODE,
    'ctypes.CDLL': str(CANARY),
    'shutil.rmtree': str(CANARY),
    'webbrowser.open': 'http://127.0.0.1',
    'operator.attrgetter': 'system',
    'functools.partial': CODE,
    'numpy.load': str(CANARY),
    'numpy.ctypeslib.load_library': str(CANARY),
    'torch.load': str(CANARY),
    'torch.hub.load': str(CANARY),
    'torch.jit.load': str(CANARY),
    'torch.utils.cpp_extension.load_inline': CODE,
    'torch.storage._load_from_bytes': CODE,
    'torch._utils._import_dotted_name': 'os.system',
    'torch.serialization.os.system': SHELL,
    '_utils.os.system': SHELL,
    'mmengine.config.Config.fromstring': CODE,
    'mmengine.fileio.load': str(CANARY),
    'vitbackbones.weights.filling.load_file': str(CANARY),
    'torch.Tensor': 10**15,
    'torch.empty': 10**15,
    'bytearray': 10**15,
    'numpy.ndarray': (10**15,),
    'mmengine.logging.history_buffer.HistoryBuffer': [1],
}

FILES = {path: archive(call(named(path), put(value))) for path, value in CALLS.items()}
MKDIR = call(name('os', 'mkdir'), put(str(CANARY)))

# Each runs code if Python's or torch's free reader gets it.
FREE = {
    'mkdir in a zip': archive(MKDIR),
    'mkdir in the old format': legacy(MKDIR),
    'mkdir as a plain pickle': whole(MKDIR),
    'mkdir in the magic number': whole(MKDIR) + legacy(b'N'),
    'mkdir as text': f'cos\nmkdir\n(V{CANARY}\ntR.'.encode(),
    'mkdir by STACK_GLOBAL': archive(
        b'\x8c\x02os\x8c\x05mkdir\x93(' + put(str(CANARY)) + b'tR', protocol=4
    ),
    'mkdir by INST': archive(b'(' + put(str(CANARY)) + b'ios\nmkdir\n'),
    'mkdir by OBJ': archive(b'(' + name('os', 'mkdir') + put(str(CANARY)) + b'o'),
    'mkdir as a key': archive(b'}' + MKDIR + b'Ns'),
    'mkdir in a state': archive(new(name('argparse', 'Namespace'), entries(a=MKDIR))),
    'mkdir in a loss history': archive(history(array(), statistics_methods=entries(min=MKDIR))),
    'mkdir in the metadata': archive(
        call(name('collections', 'OrderedDict')) + entries(_metadata=MKDIR) + pickle.BUILD
    ),
}
FILES |= FREE

# ------------------------------------------------------------------------ abuse of what is allowed

FILES |= {
    'pointers as an array': archive(POINTERS),
    'pointers in a loss history': archive(call(HISTORY, POINTERS, POINTERS)),
    'pointers in a made loss history': archive(history(POINTERS)),
    'getattr on pointers': archive(call(GETATTR, POINTERS, put('min'))),
    'getattr on a class': archive(call(GETATTR, HISTORY, put('__init__'))),
    'getattr on a name of the list': archive(call(GETATTR, name('torch', 'Size'), put('min'))),
    'getattr with a tensor as name': archive(
        call(GETATTR, HISTORY, tensor()), {'data/0': bytes(4)}
    ),
    'dtype of objects': archive(array(dtype('O'))),
    'dtype of texts': archive(array(dtype('U2'))),
    'dtype of records': archive(array(dtype('V8'))),
    'dtype in big-endian order': archive(array(dtype('f8', '>'))),
    'dtype with object flags': archive(array(dtype('f8', '<', None, None, None, -1, -1, 63))),
    'dtype with fields': archive(array(dtype('f8', '<', None, ('a',), {'a': ('O', 0)}, 8, 8, 63))),
    'dtype with a shape': archive(array(dtype('f8', '<', ('f8', (9,)), None, None, 8, 8, 0))),
    'dtype without a state': archive(array(call(name('numpy', 'dtype'), put('f8')))),
    'array of too few bytes': archive(array(data=b'1234')),
    'array of a wrong shape': archive(array(shape=(10**9, 10**9))),
    'array of a negative shape': archive(array(shape=(-1, -8))),
    'array without a state': archive(EMPTY_ARRAY),
    'array of another class': archive(call(RECONSTRUCT, HISTORY, put((0,)), raw(b'b'))),
    'number of objects': archive(
        call(name('numpy.core.multiarray', 'scalar'), OBJECTS, raw(b'A' * 8))
    ),
    'number of too few bytes': archive(
        call(name('numpy.core.multiarray', 'scalar'), dtype(), raw(b'AA'))
    ),
    'loss history of texts': archive(history(put('abc'))),
    'loss history of two lengths': archive(history(array(), array(data=bytes(16), shape=(2,)))),
    'loss history without a state': archive(HISTORY + b')\x81'),
    'loss history as a class': archive(HISTORY),
    'Namespace of numbers': archive(new(name('argparse', 'Namespace'), put({1: 2}))),
    'class of Namespace': archive(new(name('argparse', 'Namespace'), put([('__class__', 1)]))),
    'state of a list': archive(b']' + put({'a': 1}) + pickle.BUILD),
    'state of a function': archive(GETATTR + put((None, {'__defaults__': (1,)})) + pickle.BUILD),
    'state of a tensor': archive(tensor() + put((1, 2, 3)) + pickle.BUILD, {'data/0': bytes(4)}),
    'items of a tensor': archive(tensor() + put(0) + put(1) + b's', {'data/0': bytes(4)}),
    'append to a tuple': archive(b')' + put(1) + b'a'),
    'hooks of a tensor': archive(
        call(name('torch._utils', '_rebuild_parameter'), HISTORY, put(True), MKDIR)
    ),
    'complex numbers': saved({'w': torch.ones(2, dtype=torch.complex64)}),
    'complex number': saved({'w': 1j}),
    'quantized': saved({'w': torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)}),
    'sparse': saved({'w': torch.ones(2).to_sparse()}),
    'meta': saved({'w': torch.empty(2, device='meta')}),
    'nested out of range': archive(
        call(name('torch._utils', '_rebuild_nested_tensor'), put(1), put(1), put(1), put(1))
    ),
    'wrapper subclass': archive(
        call(name('torch._utils', '_rebuild_wrapper_subclass'), name('torch', 'Tensor'))
    ),
    'any rebuild by type': archive(
        call(name('torch._tensor', '_rebuild_from_type_v2'), GETATTR, HISTORY, put(()), put({}))
    ),
}

# ------------------------------------------------------------------------ abuse of the formats

FOUR = {'data/0': bytes(4)}
DEEP = b')' + b'\x85' * 200_000  # Python crashes on its hash
ORDERED = name('collections', 'OrderedDict')


def again(value, function, call, times=20_000):
    """The result of ``call`` many times over; they are numbers 100 and 101 of its memo."""
    return b'(' + value + b'q\x64' + function + b'q\x65(' + call * times + b'tt'


FILES |= {
    'persistent id of a module': archive(b'(' + put('module') + MKDIR + b'tQ'),
    'persistent id of a text': archive(put('storage') + b'Q'),
    'persistent id by text': archive(b'Pstorage\n'),
    'persistent id with a view': legacy(storage(more=put(('1', 10**9, 10**9)))),
    'storage outside of the file': archive(tensor(key='../../../../etc/passwd'), FOUR),
    'storage that is not there': archive(tensor(key='7'), FOUR),
    'storage larger than its record': archive(tensor((10**6,), count=10**6), FOUR),
    'storage smaller than its record': archive(tensor(), {'data/0': bytes(8)}),
    'storage larger than memory': archive(tensor((10**15,), count=10**15), FOUR),
    'storage of negative size': archive(tensor(count=-1), FOUR),
    'storage in two sizes': archive(
        b'(' + tensor() + tensor(count=1, kind='HalfStorage') + b't', FOUR
    ),
    'storage alone': archive(storage(), FOUR),
    'tensor out of range': archive(tensor((100,)), FOUR),
    'tensor with an offset out of range': archive(tensor(offset=10**9), FOUR),
    'tensor with a negative offset': archive(tensor(offset=-(10**9)), FOUR),
    'tensor with a negative stride': archive(tensor((1,), (-8,)), FOUR),
    'tensor with a huge stride': archive(tensor((2,), (2**60,)), {'data/0': bytes(8)}),
    'tensor of huge size': archive(tensor((2**62, 4), (1, 1)), FOUR),
    'tensor larger than the file': archive(tensor((10**12,), (0,)), FOUR),
    'old format, storage larger than memory': legacy(tensor((10**15,), count=10**15)),
    'zip-slip': archive(put(1), {'../../escaped': b'x'}, root='../..'),
    'zip bomb': archive(put(1), {'data/0': bytes(10**7)}, compression=zipfile.ZIP_DEFLATED),
    'TorchScript': archive(
        new(name('__torch__', 'Model'), put({})),
        {'constants.pkl': whole(b')'), 'code/__torch__.py': CODE},
    ),
    'tar': tar(),
    'tuples, 200 000 deep': archive(b')' + b'\x85' * 200_000),
    'tuples that double': archive(b')' + b'q\x00h\x00\x86' * 60),
    'list of itself': archive(b']q\x00h\x00a'),
    'dict of itself': archive(b'}q\x00Nh\x00s'),
    'text of 4 GB': archive(b'X\xff\xff\xff\xff'),
    'bytes of 2^63': archive(b'\x8e' + b'\xff' * 7 + b'\x7f', protocol=4),
    'memo that is not there': archive(b'h\x63'),
    'stack underflow': archive(b'\x87\x87R'),
    'lists that square': archive(b'(' + put([None] * 10**5) + b'q\x64(' + b'h\x64' * 10**5 + b'tt'),
    'one dict many times over': archive(
        again(put([(i, None) for i in range(2000)]), ORDERED, b'h\x65h\x64\x85R')
    ),
    'one text many times over': archive(
        again(put('a' * 10**5), ENCODE, b'h\x65h\x64' + put('latin1') + b'\x86R')
    ),
    'one array many times over': archive(
        again(
            array(data=bytes(80_000), shape=(10_000,)),
            HISTORY,
            new(
                b'h\x65',
                entries(_log_history=b'h\x64', _count_history=b'h\x64', max_length=put(10**5)),
            ),
        )
    ),
    'one tensor many times over': archive(
        b'(' + tensor((10**6,), (0,)) + b'q\x64' + b'h\x64' * 100 + b't', FOUR
    ),
    'deep tuple as a key': archive(b'}' + DEEP + b'Ns'),
    'deep tuple in a set': archive(b'\x8f(' + DEEP + b'\x90', protocol=4),
    'deep tuple in a made set': archive(call(name('builtins', 'set'), b']' + DEEP + b'a')),
    'deep tuple in an OrderedDict': archive(call(ORDERED, b']' + DEEP + b'N\x86a')),
    'tensor of 100 000 dimensions': archive(tensor((1,) * 10**5, (1,) * 10**5), FOUR),
    'tensor of a size that takes hours to multiply': archive(
        tensor((2**2030,) * 3000, (1,) * 3000), FOUR
    ),
    'method of a Namespace': archive(new(name('argparse', 'Namespace'), put({'_get_kwargs': 1}))),
    'no end': archive(put(1))[:-40],
    'web page': b'<!DOCTYPE html><html><body>404 Not Found</body></html>',
    'pointer of git-lfs': b'version https://git-lfs.github.com/spec/v1\noid sha256:0\n',
    'nothing': b'',
    'random bytes': bytes(np.random.default_rng(0).integers(0, 256, 5000, dtype=np.uint8)),
    'random bytes in a zip': b'PK\x03\x04'
    + bytes(np.random.default_rng(1).integers(0, 256, 5000, dtype=np.uint8)),
}


# ------------------------------------------------------------------------ safetensors


def entry(begin, end, shape=(1,), kind='F32'):
    return {'dtype': kind, 'shape': shape, 'data_offsets': [begin, end]}


SAFETENSORS = {
    'header of 2^63 bytes': struct.pack('<Q', 2**63) + b'{}',
    'header of 100 MB': struct.pack('<Q', 10**8) + b'{}',
    'header that is no JSON': safetensors(b'{"w": '),
    'header, 100 000 deep': safetensors(b'[' * 100_000),
    'header of a list': safetensors([1]),
    'offsets below zero': safetensors({'w': entry(-4, 0)}, bytes(4)),
    'offsets that overlap': safetensors({'v': entry(0, 4), 'w': entry(2, 6)}, bytes(6)),
    'offsets out of range': safetensors({'w': entry(0, 400, (100,))}, bytes(4)),
    'offsets in reverse': safetensors({'w': entry(4, 0)}, bytes(4)),
    'a shape of 2^62 numbers': safetensors({'w': entry(0, 4, (2**31, 2**31))}, bytes(4)),
    'a negative shape': safetensors({'w': entry(0, 4, (-1,))}, bytes(4)),
    'an unknown type': safetensors({'w': entry(0, 4, kind='O')}, bytes(4)),
    'numbers that are complex': safetensors({'w': entry(0, 8, kind='C64')}, bytes(8)),
    'bytes that nothing names': safetensors({'w': entry(0, 4)}, bytes(400)),
    'a pickle': whole(MKDIR),
    'no bytes': b'',
}

ATTACKS = {key: ('.pth', content) for key, content in FILES.items()}
ATTACKS |= {key: ('.safetensors', content) for key, content in SAFETENSORS.items()}


def write(folder, names=tuple(ATTACKS)):
    """Write the attacks of these names; return the file of each."""
    files = {}
    for number, key in enumerate(names):
        suffix, content = ATTACKS[key]
        files[key] = folder / f'{number}{suffix}'
        files[key].write_bytes(content)
    return files
