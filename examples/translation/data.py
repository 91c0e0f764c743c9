"""Pairs of sentences, of a made language or of the catalogs of installed programs, and batches."""

import random
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from vitbackbones.errors import InputError
from vitbackbones.utils.messages import show_warnings

from .model import END, PAD, START, UNKNOWN

DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
WORDS = ['apple', 'bird', 'chair', 'door', 'egg', 'fish', 'goat', 'house', 'ink', 'jar', 'king']
PIECE = re.compile(r'\s?[^\W\d_]+|\s?.', re.DOTALL)  # a word or one sign, and a space before it
ORDERS = {b'\xde\x12\x04\x95': '<', b'\x95\x04\x12\xde': '>'}  # of the bytes of a catalog

pad = partial(pad_sequence, batch_first=True, padding_value=PAD)  # rows to (N, L)


def made_pairs(count: int) -> dict[str, str]:
    """Return pairs such as '27 jar 5' and 'five jar two seven', always the same."""
    draw, pairs = random.Random(0), {}
    while len(pairs) < count:
        items = draw.choices([*WORDS * 9, *map(str, range(100))], k=draw.randint(1, 4))
        spelled = [x if x in WORDS else ' '.join(DIGITS[int(d)] for d in x) for x in items]
        pairs[' '.join(items)] = ' '.join(reversed(spelled))
    return pairs


def read_catalog(file: Path) -> Iterator:
    """Yield messages and translations of a .mo file (gettext's manual, 10.3), without plurals."""
    data = file.read_bytes()
    order = ORDERS[data[:4]]
    count, *tables = struct.unpack_from(f'{order}3I', data, 8)
    for i in range(count):
        places = (struct.unpack_from(f'{order}2I', data, table + 8 * i) for table in tables)
        texts = (data[start : start + size].decode() for size, start in places)
        # context \4 singular \0 plural
        yield tuple(text.rpartition('\4')[2].partition('\0')[0] for text in texts)


def catalog_pairs(folder: Path) -> dict[str, str]:
    """Return the short messages of all catalogs in ``folder``, each with its first translation."""
    pairs: dict[str, str] = {}
    for file in sorted(folder.glob('*.mo')):
        try:
            pairs = dict(read_catalog(file)) | pairs
        except (ValueError, LookupError, struct.error) as error:
            show_warnings([f'{file} is left out: no catalog in UTF-8 ({type(error).__name__})'])
    fit = [pair for pair in pairs.items() if all(len(x) <= 60 and x.isprintable() for x in pair)]
    return {x: y for x, y in fit if bare(x) and bare(y) and x != y}


def bare(text: str) -> str:
    """Return what '%s: File 1' and '_file 1...' have in common."""
    return re.sub(r'%\w|[\W_]', '', text).lower()


def split(pairs: dict[str, str], origin: str) -> list[list[tuple[str, str]]]:
    """Return pairs to train, validate and test, 38 : 1 : 1; those equal when bare together."""
    parts: list[list] = [[], [], []]
    for pair in pairs.items():
        place = zlib.crc32(bare(pair[0]).encode()) % 40
        parts[place if place < 3 else 0].append(pair)
    if not all(parts):
        advice = 'name a folder of catalogs (*.mo), such as /usr/share/locale/de/LC_MESSAGES'
        raise InputError(f'{origin}: {len(pairs)} translated messages are too few; {advice}')
    return parts


def number_pieces(texts: list[str], size: int) -> dict[str, int]:
    """Return numbers of the most frequent words of some texts, and of letters to spell others."""
    counts = Counter(piece for text in texts for piece in PIECE.findall(f' {text}'))
    pieces = sorted({' ', *''.join(texts), *(piece for piece, _ in counts.most_common(size))})
    return {piece: i for i, piece in enumerate(['\ufffd', *pieces], UNKNOWN)}


def encode(text: str, numbers: dict[str, int]) -> Tensor:
    """Return the numbers of a text's pieces (L,), between START and END."""
    parts = ([piece] if piece in numbers else piece for piece in PIECE.findall(f' {text}'))
    inner = (numbers.get(piece, UNKNOWN) for part in parts for piece in part)
    return torch.tensor([START, *inner, END])


def batches(pairs: list[tuple[Tensor, Tensor]], tokens: int) -> list[tuple[Tensor, Tensor]]:
    """Return shuffled batches (N, S) and (N, T), N * S and N * T at most ``tokens`` where N > 1."""
    groups, shuffled = [[]], [pairs[i] for i in torch.randperm(len(pairs))]
    for pair in sorted(shuffled, key=lambda pair: max(map(len, pair))):
        if groups[-1] and (len(groups[-1]) + 1) * max(map(len, pair)) > tokens:
            groups.append([])
        groups[-1].append(pair)
    return [tuple(map(pad, zip(*groups[i], strict=True))) for i in torch.randperm(len(groups))]
