"""``vitbackbones shards``: write class folders as tar shards."""

from argparse import Namespace
from pathlib import Path

from mmengine.registry import DATASETS, init_default_scope

from ...data.checks.folders import check_dataset
from ...data.shards.index import Index, index_file, write_index
from ...data.shards.writing import layout, plan, write_shard
from ...utils.files import folder_lock, prepare_folder, remove_parts, require_apart


def make_shards(options: Namespace) -> None:
    """Do what ``vitbackbones shards --help`` describes.

    Raises:
        InputError: a picture is missing or none, OUT cannot be written to, or other shards are
            there.
    """
    source = Path(options.source).absolute()
    settings = {'type': 'CustomDataset', 'data_root': str(source)}
    require_apart(Path(options.out).expanduser().absolute(), 'OUT', source, around=False)
    check_dataset(settings)
    out = prepare_folder(options.out, 'OUT')
    with folder_lock(out, 'OUT'):
        remove_parts(out)
        init_default_scope('mmpretrain')
        dataset = DATASETS.build({**settings, 'pipeline': []})
        pictures = plan([dataset.get_data_info(i) for i in range(len(dataset))])
        print(f'{source}: {len(pictures)} images of {len(dataset.folder_to_idx)} classes')
        shards = []
        for start in range(0, len(pictures), options.shard_size):
            part = pictures[start : start + options.shard_size]
            shards.append(layout(f'{source.name}-{len(shards):06}.tar', part))
            write_shard(out, shards[-1], part)
            print(f'{shards[-1].name}: {len(part)} images', flush=True)
        file = index_file(out, source.name)
        write_index(file, Index(list(dataset.folder_to_idx), shards))
        print(f'{file}: {len(pictures)} images in {len(shards)} shards')
