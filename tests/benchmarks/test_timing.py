"""Interleaving and peak memory of the timing helpers."""

import torch

from benchmarks.timing import interleaved_seconds, peak_bytes

CPU = torch.device('cpu')
MEGABYTE = 2**20


def new_megabyte():
    return torch.ones(MEGABYTE // 4)  # float32


def test_each_turn_can_begin_with_unmeasured_calls():
    calls = []
    functions = {name: lambda name=name: calls.append(name) for name in 'ab'}
    seconds = interleaved_seconds(functions, CPU, repeats=2, approach=2)
    assert ''.join(calls) == 'ab' + 'aaabbb' * 2
    assert [len(seconds[name]) for name in 'ab'] == [2, 2]


def test_peak_counts_what_lives_at_once():
    def one_after_the_other():
        for _ in range(3):
            new_megabyte()

    def three_at_once():
        return [new_megabyte() for _ in range(3)]

    assert peak_bytes(one_after_the_other, CPU) == MEGABYTE
    assert peak_bytes(three_at_once, CPU) == 3 * MEGABYTE
