"""``--cache-gb``, ``--cache-views``: ask a frozen backbone, or a teacher, only once for its maps.

A pipeline that draws each picture anew never shows the same one twice. With ``--cache-views K``
there are K draws of each, whose random numbers follow from the seed, the picture and the number of
the draw; the run draws which of them is seen.

Maps are rounded to half precision, also where they were just computed, and each picture is
computed alone, with the padding of its batch. So what a step learns from does not depend on what is
kept, and a run resumes to the bit with or without it. Where maps are kept
``vitbackbones.LoadImage`` decodes nothing: a black picture goes through the pipeline, for the
annotations.
"""

import hashlib
import json
import shutil
from contextlib import suppress
from pathlib import Path
from types import MethodType

import numpy as np
import torch
from mmengine.dataset import pseudo_collate
from mmengine.hooks import Hook
from mmengine.model import is_model_wrapper
from torch import Tensor, nn
from torch.utils.data import Dataset

from ...data.loading.image_file import as_black
from ...data.shards.index import SCHEME
from ...errors import InputError
from ...exact import DatasetProxy, rebuild, seed_generators
from ...runtime.cache import cache_folder, key_of, versions
from ...weights.adapters import digest_of
from ..sharding import is_sharded
from ..stored_maps import StoredMaps, View

GB = 10**9
DRAW = 2  # the first number of a key of random numbers, see ``vitbackbones.exact``
TRIED = 2  # images whose views show whether a pipeline is random
DRAWS = 8  # views of each
LARGEST = 65504  # in half precision


class DrawnViews(DatasetProxy):
    """Returns one of ``drawn_views`` augmented views of a sample, with its index in ``view``.

    The third number there says that the picture is black, as ``maps`` has maps of this draw.
    """

    def __init__(self, dataset: Dataset, seed: int, drawn_views: int) -> None:
        super().__init__(dataset, seed=seed, drawn_views=drawn_views, maps=None)

    def __getitem__(self, index: int) -> dict:
        draw = np.random.randint(self.drawn_views)
        if self.maps:
            self.maps.refresh()
        black = bool(self.maps) and (index, draw) in self.maps.draws and bool(self.path(index))
        with as_black(self.path(index) if black else None):
            sample = self.draw(index, draw)
        sample['data_samples'].set_metainfo({'view': (index, draw, black)})
        return sample

    def draw(self, index: int, draw: int) -> dict:
        """Return a draw of a sample, which is always the same."""
        torch.default_generator.manual_seed(seed_generators(DRAW, self.seed, index, draw))
        return self.dataset[index]

    def info(self, index: int) -> dict:
        """Return the description of a sample that its pipeline begins with, {} if there is none."""
        known = hasattr(self.dataset, 'get_data_info')
        return self.dataset.get_data_info(index) if known else {}

    def path(self, index: int) -> str:
        """Return the file of a picture, '' if that is not known."""
        return self.info(index).get('img_path', '')


class CachedMapsHook(Hook):
    """Wraps the training data and the backbone, as the module docstring describes.

    Args:
        gb: most that the maps may take on the disk, in 10^9 bytes; None to keep none.
        views: draws of each picture; None for a pipeline that draws nothing.

    Raises:
        InputError: the maps are never the same, need more than ``gb``, or are not in the range of
            half precision.
    """

    priority = 'VERY_HIGH'  # an unreadable picture is replaced by a view, not within one

    def __init__(self, gb: float | None = None, views: int | None = None) -> None:
        self.gb = gb
        self.views = views
        self.shown: list[tuple[int, int, bool]] = []

    def before_train(self, runner) -> None:
        if is_sharded(runner.model):  # a process that has its maps would leave the others waiting
            raise InputError(
                '--fsdp: cached feature maps are not supported, because all processes must '
                'compute together; remove --cache-gb and --cache-views'
            )
        model = runner.model.module if is_model_wrapper(runner.model) else runner.model
        loop = runner.train_loop
        self.preprocess = model.data_preprocessor
        self.teaches = hasattr(model, 'teach')
        self.data = DrawnViews(loop.dataloader.dataset, runner.seed, self.views or 1)
        if self.gb is not None:
            self._require_same_maps()
            network = model.teacher if self.teaches else model.backbone
            settings = model.teaching if self.teaches else runner.cfg.model.backbone
            folder = cache_folder().with_name('maps') / self._key(runner.cfg, network, settings)
            self.maps = StoredMaps(folder, int(self.gb * GB))
            self.shapes = {}
            if self.teaches:
                self.compute = model.teach
                model.teach = MethodType(self._answer, model)
            else:
                self.data.__dict__['maps'] = self.maps
                self.compute = network.forward
                network.forward = MethodType(self._answer, network)
        loop.dataloader = rebuild(loop.dataloader, self.data, loop.dataloader.batch_sampler)
        if hasattr(loop, 'dataloader_iterator'):
            loop.dataloader_iterator = type(loop.dataloader_iterator)(loop.dataloader)

    def before_train_iter(self, runner, batch_idx, data_batch=None) -> None:
        self.shown = [sample.view for sample in data_batch['data_samples']]

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        self.shown = []

    def _answer(self, network: nn.Module, images: Tensor) -> tuple[Tensor, ...]:
        """Return the maps of images (N, 3, H, W), in training those that are kept."""
        if not self.shown:
            return self.compute(images)
        size = (images.shape[2], images.shape[3])
        if size not in self.shapes:
            answer = self.compute(torch.zeros_like(images[:1]))
            self.shapes[size] = [x.shape[1:] for x in answer]
            self.dtype = answer[0].dtype
            self._require_room(size)
        rows = []
        for (index, draw, black), image in zip(self.shown, images, strict=True):
            view = (index, draw, *size)
            numbers = self.maps.find(view)
            if numbers is None:
                numbers = self._keep(view, self._decoded(view, image) if black else image)
            rows.append(numbers)
        shapes = self.shapes[size]
        # stacked by NumPy, as autocast on a CPU refuses to stack half precision
        levels = torch.from_numpy(np.stack(rows))  # (N, numbers of all maps)
        levels = levels.to(images.device, self.dtype)
        parts = levels.split([shape.numel() for shape in shapes], 1)
        return tuple(x.unflatten(1, shape) for x, shape in zip(parts, shapes, strict=True))

    def _keep(self, view: View, image: Tensor) -> np.ndarray:
        """Compute the maps of an image (3, H, W) and store them."""
        exact = torch.cat([x.flatten() for x in self.compute(image[None])])
        if exact.abs().max() > LARGEST:
            raise InputError(
                f'--cache-gb: feature maps of {self.data.path(view[0])} exceed {LARGEST}, the '
                'largest number in half precision; remove --cache-gb'
            )
        numbers = exact.half().cpu().numpy()
        self.maps.add(view, numbers)
        return numbers

    def _decoded(self, view: View, image: Tensor) -> Tensor:
        """Return a black image (3, H, W) of a batch with its picture.

        It is needed where pictures differ in size: the largest of a batch decides how all are
        padded, and the maps are of another padding.
        """
        with torch.random.fork_rng(devices=[]):
            batch = pseudo_collate([self.data.draw(*view[:2])])
        height, width = batch['inputs'][0].shape[1:]
        image = image.clone()
        image[:, :height, :width] = self.preprocess(batch, True)['inputs'][0, :, :height, :width]
        return image

    def _require_same_maps(self) -> None:
        for key in ('batch_augments', 'erase_prob'):
            if getattr(self.preprocess, key, None):
                raise InputError(
                    f'--cache-gb: model.data_preprocessor.{key} changes the images at each '
                    'step, so their feature maps cannot be cached; remove one of the two'
                )
        for index in range(0 if self.views else min(TRIED, len(self.data))):
            drawn = [self.data.draw(index, draw)['inputs'] for draw in range(DRAWS)]
            if any(not torch.equal(drawn[0], x) for x in drawn):
                raise InputError(
                    '--cache-gb: train_dataloader.dataset.pipeline is random, so no feature map '
                    'is used twice. Add --cache-views 8 to train on eight fixed views of each '
                    'image, or remove the random steps'
                )

    def _require_room(self, size: tuple[int, int]) -> None:
        one = 2 * sum(shape.numel() for shape in self.shapes[size])
        needed = one * len(self.data) * self.data.drawn_views
        if needed > self.maps.most:
            raise InputError(
                f'--cache-gb {self.gb:g}: {self.data.drawn_views} x {len(self.data)} images of '
                f'{size[1]} x {size[0]} with feature maps of {one / 10**6:.3g} MB require '
                f'{needed / GB:.3g} GB. Raise --cache-gb, or use fewer --cache-views, smaller '
                'images or fewer feature maps'
            )
        self.maps.make_room(needed)
        with suppress(OSError):
            free = shutil.disk_usage(self.maps.folder).free
            if needed - 2 * self.maps.end > free:  # checkpoints need some, too
                raise InputError(
                    f'--cache-gb: the feature maps require {needed / GB:.3g} GB, but '
                    f'{self.maps.folder} has only {free / GB:.3g} GB left; set XDG_CACHE_HOME '
                    'to another folder'
                )

    def _key(self, config: dict, network: nn.Module, settings: object) -> str:
        """Return the SHA-256 of weights, settings, pictures, draws and versions.

        Where views are drawn, it is also of the labels: a crop may be chosen by what is in it.
        """
        samples = hashlib.sha256()
        for info in map(self.data.info, range(len(self.data))):
            path = info.get('img_path', '')
            samples.update(repr((path, _state_of(path))).encode())
            if self.views:
                samples.update(repr((info, _state_of(info.get('seg_map_path') or ''))).encode())
        content = {
            'model': [settings, config.model.get('data_preprocessor')],
            'data': config.train_dataloader.dataset,
            'precision': [config.optim_wrapper.get(key) for key in ('type', 'dtype')],
            'draws': self.views and self.data.seed,
            'versions': versions(),
            'digests': [digest_of(network.state_dict()), samples.hexdigest()],
        }
        return key_of(json.loads(json.dumps(content, default=str)))


def _state_of(path: str) -> tuple[int, int] | None:
    """Return the size of a file, or of the shard it is in, and when it was written."""
    file = Path(path.removeprefix(SCHEME).partition('!/')[0])
    stat = file.stat() if file.is_file() else None
    return stat and (stat.st_size, stat.st_mtime_ns)
