"""Putting something between a data loader and its data set after both were built."""

from torch.utils.data import BatchSampler, DataLoader, Dataset

# What a loader is built with besides its data set and the order of it.
SETTINGS = (
    'num_workers',
    'collate_fn',
    'pin_memory',
    'timeout',
    'worker_init_fn',
    'multiprocessing_context',
    'generator',
    'prefetch_factor',
    'persistent_workers',
)


class DatasetProxy(Dataset):
    """Stands for a data set: everything but ``__getitem__`` is read from and set on that one.

    mmengine and the hooks of the toolboxes ask the training data for ``metainfo``, some set its
    ``pipeline``.

    Args:
        dataset: what it stands for.
        own: attributes of the proxy itself.
    """

    def __init__(self, dataset: Dataset, **own) -> None:
        self.__dict__.update(own, dataset=dataset)

    def __len__(self) -> int:
        return len(self.dataset)

    def __getattr__(self, name: str):
        if name.startswith('__'):  # special methods would go around our __getitem__
            raise AttributeError(name)
        return getattr(self.dataset, name)

    def __setattr__(self, name: str, value) -> None:
        setattr(self.dataset, name, value)

    def __reduce__(self) -> tuple:
        return _restore, (type(self), self.__dict__)


def _restore(kind: type[DatasetProxy], attributes: dict) -> DatasetProxy:
    """Rebuild a proxy in a worker process that was not forked."""
    proxy = kind.__new__(kind)
    proxy.__dict__.update(attributes)
    return proxy


def rebuild(
    loader: DataLoader, dataset: Dataset, batches: BatchSampler, workers: int | None = None
) -> DataLoader:
    """Return a loader with the settings of ``loader`` that reads ``batches`` of ``dataset``.

    Args:
        loader: is left as it is.
        dataset: what is loaded.
        batches: gives the indices.
        workers: the number of data workers; None for that of ``loader``.
    """
    settings = {name: getattr(loader, name) for name in SETTINGS}
    if workers is not None:
        settings['num_workers'] = workers
    if not settings['num_workers']:  # torch refuses these without workers
        settings.update(persistent_workers=False, prefetch_factor=None)
    return DataLoader(dataset, batch_sampler=batches, **settings)
