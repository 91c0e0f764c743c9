"""Timing of loading: every part of every pipeline, in turns, with the same draws."""

import cv2
import numpy as np
import torch

from vitbackbones.benchmarking.loading import Pipeline, milliseconds_by_part


def test_the_parts_make_the_whole_and_pipelines_take_turns():
    calls = []

    def step(name):
        def run(sample):
            assert (torch.get_num_threads(), cv2.getNumThreads()) == (1, 1)
            calls.append((name, sample['number'], np.random.rand()))
            return sample

        return run

    def pipeline(name, on_device):
        return Pipeline({'first': step(name), 'second': step(name)}, list, on_device)

    batches = []
    pipelines = {'a': pipeline('a', batches.append), 'b': pipeline('b', None)}
    threads = torch.get_num_threads(), cv2.getNumThreads()
    samples = [{'number': 0}, {'number': 1}]
    found = milliseconds_by_part(pipelines, samples, repeats=3, warm_up=1)
    assert (torch.get_num_threads(), cv2.getNumThreads()) == threads
    assert [name for name, *_ in calls] == (['a'] * 4 + ['b'] * 4) * 4
    assert [number for _, number, _ in calls[:4]] == [0, 0, 1, 1]
    assert [draw for *_, draw in calls[:4]] == [draw for *_, draw in calls[4:8]]
    assert calls[0][2] != calls[8][2]  # another round draws otherwise
    assert batches == [samples] * 4
    assert list(found['a']) == ['first', 'second', 'collate', 'whole', 'on the device']
    assert list(found['b']) == ['first', 'second', 'collate', 'whole']
    assert found['a']['whole'] >= max(found['a']['first'], found['a']['second']) > 0
