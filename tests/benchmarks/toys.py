"""The programs behind the numbers of the pages at toy size: what to type, and what comes out."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

from benchmarks import data, train
from benchmarks.openmmlab_configs import FIELDS, MARK, META
from benchmarks.own_sets import COLUMNS, KEY, append_row

from .sets import content, write_set
from .test_audit import boxes
from .test_clothing import write_clone
from .test_mosaics import write_root
from .toy import build

TABLE = 'table.csv'
ONCE = f' --repeats 1 --warm-up 0 --out {TABLE}'


class Toy(NamedTuple):
    """A command line.

    Attributes:
        words: behind the name of the program.
        finds: values of columns of :data:`TABLE`, in the order of its rows.
        says: a part of what is printed, or of a file that is written, by its name ('' if printed).
        changes: constants of the module that no option sets, or of others, with their address.
        prepare: writes what the command reads, given the current folder.
        needs: a package without which it cannot run.
        environment: variables.
        marks: of its test.
    """

    words: str
    finds: dict[str, Sequence[str]] = {}
    says: dict[str, str] = {}
    changes: dict[str, object] = {}
    prepare: Callable[[Path], object] = id
    needs: str = 'torch'
    environment: dict[str, str] = {}
    marks: Sequence[pytest.MarkDecorator] = ()


# ------------------------------------------------------------------------ what commands read


def pictures(folder: Path) -> None:
    (folder / 'pictures').mkdir()
    for name in 'ab':
        pixels = np.random.default_rng(0).integers(0, 255, (40, 50, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / 'pictures' / f'{name}.png')


def int8_pair(folder: Path) -> None:
    from ..runtime.graphs import write_classifier  # where onnx is installed

    proof = {'metric': 'mIoU', 'pictures': 9, 'float32': 0.91004, 'int8': 0.9}
    write_classifier(folder / 'float.onnx', size=(256, 256))
    write_classifier(folder / 'int8.onnx', size=(256, 256), int8=proof)


def served(folder: Path) -> None:
    from tests.serving.servers import detector  # where fastapi is installed

    detector(folder / 'model.onnx')


def measured(folder: Path) -> None:
    lines = ('form,step,ratio', 'ours,forward,1', 'fused,forward,0.7', 'ours,train,1')
    (folder / 'parts.csv').write_text('\n'.join(lines))


def drawn_sets(folder: Path) -> None:
    write_set(folder / 'sets' / 'a', content(5), content(2))
    append_row(folder / 'known.csv', dict.fromkeys(COLUMNS, '1') | {'mIoU': '', 'method': 'noise'})


def page(folder: Path) -> None:
    """Write a page, and two rows of configs."""
    (folder / 'page.md').write_text(f'Text.\n\n{MARK}\n')
    row = {'result': 'built', 'parameters': '1', 'reason': '', 'ran': ''}
    lines = [row | {'toolbox': name, 'config': 'a.py'} for name in ('mmdet', 'mmseg')]
    text = [','.join(FIELDS), *(','.join(line[name] for name in FIELDS) for line in lines)]
    (folder / 'configs.csv').write_text('\n'.join([*text, '']))
    known = ('toolbox,family,config,tool,result,reason', 'mmdet,FCOS,a.py,predict,works,')
    (folder / 'known.csv').write_text('\n'.join([*known, '']))


# ------------------------------------------------------------------------ in place of what is slow


def trained(each, *_) -> dict[str, str]:
    """Return the row of a run of own_sets, which is not made."""
    return {**dict.fromkeys(COLUMNS, '1'), 'mIoU': '', **dict(zip(KEY, each.key, strict=True))}


def audited(command: Sequence, check: bool) -> None:
    """Write what an audit of a copy writes that finds one label."""
    *_, verb, copy, _, out, _, minutes = command
    assert (verb, minutes) == ('audit', '12.0')
    labels = json.loads((copy / 'faulty.json').read_text())
    found = {**labels['annotations'][0], 'label_id': 1}
    out.mkdir()
    (out / 'faults.json').write_text(json.dumps({**labels, 'annotations': [found]}))


def examined(row: dict[str, str]) -> dict[str, str]:
    """Return the row of a config that is not trained."""
    return {'toolbox': row['toolbox'], 'config': row['config'], 'result': 'equal', 'reason': ''}


# ------------------------------------------------------------------------ the programs

DEIT = 'deit_ti,arch.depth=1'
TIMM = 'timm:deit_tiny_patch16_224'
MMPRETRAIN = 'mmpretrain:deit-tiny_4xb256_in1k'  # as in every comparison of the suite
STAGES = ('read', 'references', 'boxes', 'masks', 'predictions.json', 'evaluation')
FORMS = ('fused', 'compiled', 'onnxruntime', 'openvino')
LINES = {'tokens': '4 24', 'batch': '1 2 4 8', 'depth': '1 2 4', 'processes': '1 2'}
OF_DATA = {'TASKS': {'ImageNet': data.TASKS['ImageNet']}}
OF_TRAIN = {
    'CLASSIFIERS': {'DeiT-Ti': (TIMM, MMPRETRAIN, 'ours:deit_ti')},
    'IMAGES': dict.fromkeys(train.IMAGES, ((64, 64), 2)),
}
ALONE = {'RANK': '0', 'WORLD_SIZE': '1', 'MASTER_ADDR': '127.0.0.1', 'MASTER_PORT': '0'}
NO_EXPORT = 'vitbackbones.inference.configured.find_spec'  # it takes most of the time
EXPORT_FROM = 'vitbackbones.inference.graphs.WORTH'
OF_GPU = {'LOGITS': f'\nours:{DEIT}\n', 'MAPS': f'\nours:{DEIT}\n', 'FORMS': {}}

TOYS = {
    'benchmarks.audit': Toy(
        f'data --minutes 12 --work-dir work {ONCE}',
        {'set': ['data'], 'faults': ['16'], 'listed': ['1']},
        changes={'subprocess': SimpleNamespace(run=audited)},
        prepare=lambda folder: boxes(folder / 'data'),
    ),
    'benchmarks.clothing': Toy(
        'clone sets/clothing',
        says={'sets/clothing/classes.txt': 'bag'},
        prepare=lambda folder: write_clone(folder / 'clone'),
    ),
    'benchmarks.compare': Toy(
        f'plain:{DEIT} ours:{DEIT} openvino:{DEIT} --size 32 --batch 1 --step forward{ONCE}',
        {'form': [f'{source}:{DEIT}' for source in ('plain', 'ours', 'openvino')]},
        needs='openvino',
        marks=[pytest.mark.compat],
    ),
    'benchmarks.compare --features': Toy(
        f'ours:{DEIT} ours:{DEIT},global_attn_indexes=0,window_size=2 --size 64 --batch 1 '
        f'--features --step train{ONCE}',
        {'step': ['train'] * 2},
    ),
    'benchmarks.cpu': Toy(
        f'tnt_s detr_aug_vit_s_shapes --size 4 --batch 1 --forms {" ".join(FORMS)}{ONCE}',
        {'source': ['ours', *FORMS, 'timm', 'config', *(f'config_{form}' for form in FORMS)]},
        changes={
            'SOURCES': dict.fromkeys(
                ('ours', *FORMS, 'timm', 'config', *(f'config_{form}' for form in FORMS)), build
            )
        },
    ),
    'benchmarks.data': Toy(
        f'--data-root pictures --images 1{ONCE}',
        {'form': ['ours'] * 9 + ['mmpretrain'] * 9},
        changes=OF_DATA,
        prepare=pictures,
    ),
    'benchmarks.detr': Toy(
        f'--tokens 6 --batch 1{ONCE}',
        {'form': ['mmdet', 'ours'] * 2, 'mode': ['eval'] * 2 + ['train'] * 2},
        changes={'GRIDS': {6: (2, 3)}},
    ),
    'benchmarks.gpu': Toy(
        '--out out/gpu --repeats 1 --warm-up 0',
        says={'out/gpu/goals.csv': 'not measured', 'out/gpu/models.csv': f'ours:{DEIT}'},
        changes=OF_GPU | {'SQUARE': (32, 32)},
    ),
    'benchmarks.growth': Toy(
        f'--pictures 20 40{ONCE}',
        {
            'stage': [stage for stage in STAGES for _ in range(2)],
            'pictures': ['20', '40'] * len(STAGES),
        },
    ),
    'benchmarks.int8': Toy(
        f'float.onnx int8.onnx{ONCE}',
        {'model': ['tiny'], 'metric': ['mIoU'], 'float32': ['0.91'], 'int8': ['0.9']},
        prepare=int8_pair,
        needs='onnx',
    ),
    'benchmarks.mosaics': Toy(
        'tiny mosaics --train 2 --val 1',
        says={'': 'val: 1 mosaics with'},
        prepare=lambda folder: write_root(folder / 'tiny'),
    ),
    'benchmarks.openmmlab_configs': Toy(
        '--out table.csv --toolboxes mmdet --most 1', {'toolbox': ['mmdet'], 'result': ['built']}
    ),
    'benchmarks.openmmlab_configs --run': Toy(
        '--out configs.csv --run 1',
        says={'configs.csv': META},
        changes={'ran': lambda row: META},
        prepare=page,
    ),
    'benchmarks.openmmlab_configs --summary': Toy(
        '--summary page.md --out configs.csv', says={'page.md': '| mmdet | 1 | 1'}, prepare=page
    ),
    'benchmarks.openmmlab_families': Toy(
        '--out table.csv --families FCOS --tools predict',
        {'family': ['FCOS'], 'tool': ['predict'], 'result': ['works']},
        changes={'TOOLS': {'predict': lambda files: ''}},
    ),
    'benchmarks.openmmlab_families --summary': Toy(
        '--summary page.md --out known.csv', says={'page.md': '| FCOS |'}, prepare=page
    ),
    'benchmarks.openmmlab_training': Toy(
        '--number 1 --table configs.csv --out table.csv',
        {'toolbox': ['mmdet', 'mmseg'], 'result': ['equal'] * 2},
        changes={'examine': examined},
        prepare=page,
    ),
    'benchmarks.openmmlab_training --summary': Toy(
        '--summary page.md --out configs.csv', says={'page.md': '| mmdet | 1 |'}, prepare=page
    ),
    'benchmarks.own_sets': Toy(
        'sets --sets a --n 2 --seeds 0 --steps 2 --out table.csv --methods noise '
        "'pvt={quick} --backbone pvt_t --scratch' 'w0={quick} --cfg-options train_cfg.val_begin=2'",
        {'set': ['a'] * 3, 'method': ['noise', 'pvt', 'w0']},
        changes={'row_of': trained},
        prepare=drawn_sets,
    ),
    'benchmarks.own_sets --summary': Toy(
        '--summary page.md --out known.csv --picture picture.png',
        says={'page.md': '## Boxes'},
        prepare=drawn_sets,
    ),
    'benchmarks.parts': Toy(
        f'pvt_s --size 64 --batch 1 --step forward train --features{ONCE}',
        {'form': ['ours:pvt_s', 'ours:aug_pvt_s'] * 2},
    ),
    'benchmarks.predict': Toy(
        f'setr_mla_msf_vit_ti_shapes --images 1{ONCE}',
        {'form': ['MMSegInferencer', 'torch', 'torch floor', 'auto', 'auto floor']},
        # the program sets the last one, and here it is set back at the end
        changes={'SIZES': ((64, 48),), NO_EXPORT: lambda name: None, EXPORT_FROM: 0},
    ),
    'benchmarks.scale': Toy(
        f'--step train --size 32 64x96{ONCE}',
        {
            'axis': [axis for axis, values in LINES.items() for _ in values.split()],
            'value': ' '.join(LINES.values()).split(),
        },
        changes={'HOSTS': {'deit_ti': ('depth', [1])}},
    ),
    'benchmarks.serve': Toy(
        f'model.onnx --clients 2 --seconds 1 --images 1{ONCE}',
        {'clients': ['2'], 'wrong': ['0'], 'refused': ['0'], 'failed': ['0']},
        prepare=served,
        needs='fastapi',
    ),
    'benchmarks.sharding': Toy('fsdp deit_ti', says={'': 'fsdp: loss '}, environment=ALONE),
    'benchmarks.table': Toy(
        "parts.csv --rows form --columns step --cell '{ratio}'",
        says={'': '| ours | 1 | 1 |\n| fused | 0.7 |  |\n'},
        prepare=measured,
    ),
    'benchmarks.train': Toy(
        ONCE,
        {
            'form': [
                *OF_TRAIN['CLASSIFIERS']['DeiT-Ti'],
                'mmdet:detr',
                'ours:detr',
                *train.SETR,
                *train.OPTIMIZERS,
            ]
        },
        changes=OF_TRAIN,
    ),
    'tools/site/cost_by_part.py': Toy('deit_ti --side 32', says={'': 'scores'}),
}

# programs that are run by other tests
ELSEWHERE = {
    'examples.analyze': 'examples/analyze/test_analyze.py',
    'examples.camvid_crops': 'examples/test_camvid_crops.py',
    'examples.landscape': 'examples/test_landscape.py',
    'examples.translation': 'examples/test_translation.py',
    'tools/compare.py': 'tools/test_compare.py',
    'tools/site/pages.py': 'docs/test_made_pages.py',
    'tools/train.py': 'commands/test_end_to_end.py',
}
