"""Servers of tiny exported models, in this process."""

from contextlib import contextmanager
from threading import Thread

import numpy as np
import uvicorn

from tests.runtime.graphs import write_detector
from vitbackbones.inference.open import ExportedModel
from vitbackbones.runtime.card import Threshold
from vitbackbones.serving.app import listen, make_app
from vitbackbones.serving.service import Limits, Service

LIMITS = {'bytes': 10**6, 'pixels': 10**6, 'queue': 40, 'seconds': 20.0}
INTO = [{'type': 'resize_into', 'size': [32, 32]}]
CLASSES = ['cat', '</script><script>document.title = "ran"</script>', 'dog']


def detector(file):
    """Write a detector that finds three objects at places relative to the picture; return it."""
    boxes = np.array([[[4, 4, 16, 16], [16, 16, 28, 28], [0, 0, 8, 8]]], np.float32)
    masks = np.zeros((1, 3, 32, 32), np.float32)
    masks[0, 0, 4:16, 4:16] = masks[0, 1, 16:28, 16:28] = masks[0, 2, :8, :8] = 1
    found = {
        'boxes': boxes,
        'scores': np.array([[0.9, 0.6, 0.2]], np.float32),
        'labels': np.array([[0, 1, 2]]),
        'masks': masks,
    }
    write_detector(file, found, classes=CLASSES, steps=INTO)
    return ExportedModel(file)


def service(model, task='detection', batch_size=4, **limits):
    given = Limits(**LIMITS | limits)
    return Service(model, task, batch_size, given, Threshold())


@contextmanager
def running(model, task='detection', batch_size=4, token=None, **limits):
    """Yield the address of a server."""
    made = service(model, task, batch_size, **limits)
    opened = listen('127.0.0.1', 0)
    config = uvicorn.Config(make_app(made, 'tiny', token), log_level='warning')
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, args=([opened],))
    thread.start()
    try:
        yield f'http://127.0.0.1:{opened.getsockname()[1]}'
    finally:
        server.should_exit = True
        thread.join()
        opened.close()
        made.close()
