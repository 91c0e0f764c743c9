"""A few unusable images do not end a run: they are counted, reported and replaced.

Among a million files one is truncated, or a strip of one pixel that no pipeline can resize, and a
run that meets it after an hour should not die of it; nor should it go on when a disk or a copy is
broken. So a bad image is replaced by another one of the dataset, and the run stops when more of
them were met than the limit allows. A pipeline that fails on one sample after the other is itself
at fault: its error ends the run as it is.
"""

import logging
import math
from queue import SimpleQueue

import cv2
import numpy as np
from mmengine.dist import get_rank
from mmengine.hooks import Hook
from torch import multiprocessing
from torch.utils.data import Dataset

from ...data.loading.image_file import ATTEMPTS, UnreadableImage
from ...errors import InputError
from ...exact import DatasetProxy, rebuild
from ...utils.messages import in_one_line

# What pipelines raise because of a picture; a missing key or a wrong type is a bug of the pipeline.
PICTURE_FAULTS = (cv2.error, ArithmeticError, MemoryError, RuntimeError, ValueError)
MET = 'unreadable_images'  # in the message hub, which checkpoints hold


class ReplacingDataset(DatasetProxy):
    """Replaces a sample whose image cannot be read or processed by another, and reports it.

    Args:
        dataset: raises :class:`UnreadableImage`, or what its pipeline does.
        reports: a queue that reaches from data workers to the training process. It gets pairs of
            texts: which image it is, the same each time, and what is wrong with it.

    Raises:
        Exception: that of the last of ``ATTEMPTS`` bad images, one after the other.
        InputError: any other than :class:`UnreadableImage`, at once.
    """

    def __init__(self, dataset: Dataset, reports) -> None:
        super().__init__(dataset, reports=reports)

    def __getitem__(self, index: int):
        for _ in range(ATTEMPTS - 1):
            try:
                return self.dataset[index]
            except UnreadableImage as error:
                fault = str(error)
                which = fault
            except InputError:
                raise
            except PICTURE_FAULTS as error:
                data = self.dataset
                info = data.get_data_info(index) if hasattr(data, 'get_data_info') else {}
                name = f'image file {info["img_path"]}' if 'img_path' in info else f'sample {index}'
                reason = f'{type(error).__name__}: {in_one_line(error)}'
                fault = f'{name}: the pipeline fails ({reason}).'
                which = name  # the reason may differ from draw to draw
            if not isinstance(self.reports, SimpleQueue):
                self.reports.cancel_join_thread()  # a worker may end before they are read
            self.reports.put((which, fault))
            index = np.random.randint(len(self.dataset))
        return self.dataset[index]


class UnreadableImagesHook(Hook):
    """Replaces unusable training images up to a limit.

    Every process counts what it meets; a resumed run goes on from the first one's count.

    Args:
        limit: the share of the dataset that may be unusable; 0.001 of 205 images is none.

    Raises:
        InputError: more were met; names the files.
    """

    priority = 'HIGH'  # before the exact resume puts its own data set around it

    def __init__(self, limit: float = 0.001) -> None:
        self.limit = limit

    def before_train(self, runner) -> None:
        loop = runner.train_loop
        loader = loop.dataloader
        self.reports = SimpleQueue()
        if loader.num_workers:
            # without a bound: a worker that waits to report would hold its batch back
            self.reports = (loader.multiprocessing_context or multiprocessing).Queue()
        self.met: list[str] = runner.message_hub.get_info(MET, [])  # in the order of appearance
        self.allowed = math.floor(self.limit * len(loader.dataset))
        data = ReplacingDataset(loader.dataset, self.reports)
        loop.dataloader = rebuild(loader, data, loader.batch_sampler)
        if hasattr(loop, 'dataloader_iterator'):
            loop.dataloader_iterator = type(loop.dataloader_iterator)(loop.dataloader)

    def before_train_iter(self, runner, batch_idx, data_batch=None) -> None:
        while not self.reports.empty():
            which, fault = self.reports.get()
            if which in self.met:  # in an earlier epoch
                continue
            self.met.append(which)
            runner.message_hub.update_info(MET, self.met)
            count = len(self.met)
            if not self.allowed:
                raise InputError(fault)
            if count > self.allowed:
                names = ', '.join(which.partition(': ')[0] for which in self.met)
                raise InputError(
                    f'{count} images cannot be read, but only {self.allowed} are allowed '
                    f'(default_hooks.unreadable_images.limit={self.limit}): {names}'
                )
            place = f'({count} so far, at most {self.allowed})'
            level = logging.ERROR if get_rank() else logging.WARNING  # others show errors only
            runner.logger.log(level, f'{fault} Another image replaces it {place}')
