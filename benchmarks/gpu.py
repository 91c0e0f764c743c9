"""Everything there is to know of a GPU, in calls of at most nine minutes.

    python -m benchmarks.gpu --out out/gpu

tasks.csv    training steps of DETR and SETR, and mmdet's and mmseg's, in bfloat16 autocast
models.csv   every family against timm, mmpretrain, mmdet and its plain form: time and memory
kernels.csv  how many kernels a step of two images launches, and which take its calls of attention:
             math is the slow one, and has the shape of the queries beside it
goals.csv    what is aimed at, and whether it is reached

Jobs run in the order of what they tell, each if it probably ends in time. Every row is in rows.json
as soon as it is measured; the same command goes on where the last one ended, or was killed. What
fails, for lack of memory or in the compiler, is a row with its message; a failed job is tried once
more. After a change of the code choose another folder. A CPU has a dry run at small sizes.
"""

import gc
import json
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import torch
from torch.autograd import DeviceType
from torch.autograd.profiler_util import FunctionEvent
from torch.profiler import ProfilerActivity

from vitbackbones.errors import InputError
from vitbackbones.utils.files import as_csv, folder_lock, prepare_folder, write_file

from . import train
from .command import start
from .comparing import STEPS, Case, make_step
from .model_sources import build_model
from .sources import SOURCES
from .timing import compare, recording

MINUTES = 8.5  # no job begins that would probably end later than so long after the start
ATTEMPTS = 2  # what has failed so often, or ended the process, is not begun once more
# what a forward pass and a training step probably take at most to be built and measured
SECONDS = {'eager': (2.5, 2.5), 'compiled': (20.0, 40.0)}
# A line is a group of models that take turns, the first is the unit; what says most comes first.
LOGITS = """
timm:tnt_s_patch16_224 mmpretrain:tnt-small-p16_3rdparty_in1k plain:tnt_s ours:tnt_s fused:tnt_s
plain:sret_s ours:sret_s fused:sret_s
timm:deit_small_patch16_224 mmpretrain:deit-small_4xb256_in1k plain:deit_s ours:deit_s fused:deit_s
ours:deit_s plain:aug_vit_s ours:aug_vit_s fused:aug_vit_s
timm:swin_tiny_patch4_window7_224 mmpretrain:swin-tiny_16xb64_in1k ours:swin_t
plain:simple_vit_s ours:simple_vit_s plain:msf_vit_s ours:msf_vit_s
plain:swin_t plain:msf_swin_t ours:msf_swin_t
plain:pvt_s ours:pvt_s plain:aug_pvt_s ours:aug_pvt_s
plain:t2t_14 ours:t2t_14 plain:aug_t2t_14 ours:aug_t2t_14
mmpretrain:t2t-vit-t-14_8xb64_in1k plain:t2t_t_14 ours:t2t_t_14
plain:sret_t ours:sret_t plain:sret_t_global ours:sret_t_global
timm:mixer_b16_224 mmpretrain:mlp-mixer-base-p16_3rdparty_64xb64_in1k plain:mixer_b16 ours:mixer_b16
plain:recursive_mixer_b16 ours:recursive_mixer_b16
"""
MAPS = """
mmdet:retinanet_pvt-s_fpn_1x_coco ours:pvt_s ours:aug_pvt_s
ours:deit_s ours:aug_vit_s ours:tnt_s
mmpretrain:swin-tiny_16xb64_in1k ours:swin_t ours:msf_swin_t
ours:simple_vit_s ours:msf_vit_s
ours:sret_s ours:sret_s_global
ours:t2t_14 ours:aug_t2t_14
"""
FORMS = {'detr': ('mmdet:detr', 'ours:detr'), 'setr': ('mmseg:setr_pup', 'ours:setr_pup')}
SQUARE, SMALL = (224, 224), (64, 64)  # SQUARE: which some other models are made for
# form, unit, the ratio of times that is to be reached, step, engine
GOALS = (
    ('ours:tnt_s', 'timm:tnt_s_patch16_224', 1 / 2.5, 'forward', 'eager'),
    ('ours:tnt_s', 'timm:tnt_s_patch16_224', 1 / 1.3, 'forward', 'compiled'),
    ('ours:sret_s', 'plain:sret_s', 1 / 2.5, 'forward', 'eager'),
    *(('ours:aug_vit_s', 'ours:deit_s', 1.08, *kind) for kind in product(STEPS, ['eager'])),
    ('ours:aug_vit_s', 'ours:deit_s', 1.08, 'forward', 'compiled'),
    ('ours:detr', 'mmdet:detr', 1 / 1.5, 'train', 'eager'),
)
ATTENTION = 'aten::scaled_dot_product_attention'
KERNEL = 'aten::_scaled_dot_product_'


class Job(NamedTuple):
    """Rows of one table that are measured together, and the seconds that this takes at most."""

    table: str
    name: str
    seconds: float
    rows: Callable[[], Iterator[dict]]


class Jobs:
    """Makes the jobs; images are given by size and number, those of tasks are two."""

    def __init__(self, options: Namespace) -> None:
        self.options = options
        self.compiled = gpu = options.device.type == 'cuda'
        self.images = [(SQUARE, 128), (SQUARE, 1), ((512, 512), 16)] if gpu else [(SQUARE, 1)]
        self.maps = ((800, 1333), 2) if gpu else (SMALL, 1)
        sizes = {'detr': (800, 1333), 'setr': (512, 512)}
        self.sizes = sizes if gpu else dict.fromkeys(sizes, SMALL)
        self.precision, self.depth = ('bfloat16', 50) if gpu else ('float32', 18)

    def planned(self) -> Iterator[Job]:
        """Yield all jobs, what says most first."""
        logits, maps = ([line.split() for line in t.splitlines()[1:]] for t in (LOGITS, MAPS))
        yield from self.tasks('eager')
        yield from self.models(logits, 'eager', self.images)
        yield from self.kernels(logits, self.precision)
        yield from self.models(maps, 'eager', [self.maps], maps=True)
        if self.compiled:  # takes longest
            yield from self.tasks('compiled')
            yield from self.models(logits, 'compiled', self.images)
            yield from self.kernels(logits, 'float32')
            yield from self.models(maps, 'compiled', [self.maps], maps=True)

    def models(self, groups, engine: str, images, maps: bool = False) -> Iterator[Job]:
        """Yield a job for each group of models that take turns in a case."""
        for ((size, batch), step), group in product(product(images, STEPS), groups):
            case = Case(step, engine, self.precision, size, batch)
            builders = self.builders(group, case, maps)
            rows = partial(self.timed, case.columns(), builders)
            seconds = SECONDS[engine][STEPS.index(step)] * len(builders)
            yield Job('models', f'{case}{" maps" * maps}: {" ".join(group)}', seconds, rows)

    def kernels(self, groups, precision: str) -> Iterator[Job]:
        """Yield a job for each group and kind of step, and for our form of each task."""
        for group, step in product(groups, STEPS):
            case = Case(step, 'eager', precision, SQUARE, 2)
            rows = partial(self.counted, case.columns(), self.builders(group, case))
            yield Job('kernels', f'kernels {case}: {" ".join(group)}', 2.5 * len(group), rows)
        for task, (_, ours) in FORMS.items():
            columns = {'step': 'train', 'engine': 'eager', 'precision': 'bfloat16 autocast'}
            rows = partial(self.counted, columns, {ours: partial(self.task_step, task, ours)})
            yield Job('kernels', f'kernels {task}', 10, rows)

    def tasks(self, engine: str) -> Iterator[Job]:
        """Yield a job for each task, a training step in both forms."""
        for task, forms in FORMS.items():
            builders = {form: partial(self.task_step, task, form, engine) for form in forms}
            rows = partial(self.timed, {'step': 'train', 'engine': engine, 'batch': 2}, builders)
            yield Job('tasks', f'{task} {engine}', 4 * SECONDS[engine][1], rows)

    # -- what the jobs do -------------------------------------------------------------------------
    def builders(self, group: Sequence[str], case: Case, maps: bool = False) -> dict:
        """Return what builds the step of each model; what is folded is not trained."""
        trained = [spec for spec in group if case.step == 'forward' or 'fused:' not in spec]
        return {spec: partial(self.step, spec, case, maps) for spec in trained}

    def step(self, spec: str, case: Case, maps: bool) -> Callable[[], object]:
        torch.manual_seed(0)
        with self.options.device:
            model = build_model(spec, case.size, SOURCES, maps)
        return make_step(model, case, self.options.device)

    def task_step(self, task: str, form: str, engine: str = 'eager') -> Callable[[], object]:
        device, size = self.options.device, self.sizes[task]
        losses = partial(train.detr, depth=self.depth) if task == 'detr' else train.setr
        model, loss = losses(size, 2, device)[form]
        if engine == 'compiled':
            train.compile_layers(model)
        return train.training_step(model, torch.autocast(device.type, torch.bfloat16)(loss))

    def timed(self, columns: dict, builders: dict) -> Iterator[dict]:
        """Yield a row for each step, in turns, or its error."""
        options = self.options
        steps = yield from _runnable(columns, builders)
        if steps:
            for row in compare(steps, options.device, options.repeats, options.warm_up):
                rate = round(1e3 * columns['batch'] / row['median_ms'], 1)
                yield columns | row | {'images_per_s': rate}

    def counted(self, columns: dict, builders: dict) -> Iterator[dict]:
        """Yield the kernels that each step launches; on a CPU, the operators that do its work."""
        steps = yield from _runnable(columns, builders)
        cuda = [ProfilerActivity.CUDA] if self.options.device.type == 'cuda' else []
        for form, step in steps.items():
            with recording([ProfilerActivity.CPU, *cuda], record_shapes=True) as profiler:
                step()
                if cuda:
                    torch.cuda.synchronize()
            events = profiler.events()
            if cuda:
                own = [e for e in events if e.device_type == DeviceType.CUDA]
                own = [e for e in own if not e.name.startswith(('Memcpy', 'Memset'))]
                number = sum(not e.is_user_annotation for e in own)
            else:
                number = sum(e.name.startswith('aten::') and not e.cpu_children for e in events)
            calls = Counter(_kernel(e) for e in events if e.name == ATTENTION and _is_call(e))
            text = ', '.join(f'{count} {kernel}' for kernel, count in calls.items())
            yield columns | {'form': form, 'kernels': number, 'attention': text}


def _runnable(columns: dict, builders: dict) -> Iterator[dict]:
    """Return the steps that run, and yield a row for each of the others: its error."""
    steps = {}
    for form, build in builders.items():
        try:
            step = build()
            step()
        except Exception as error:  # too little memory, the compiler: the others go on
            yield columns | {'form': form, 'error': _message(error)}
        else:
            steps[form] = step
    return steps


def _message(error: Exception) -> str:
    return f'{type(error).__name__}: {(str(error).strip().splitlines() or [""])[0]}'


def _is_call(event: FunctionEvent) -> bool:
    """Return whether this is not the second entry of one call, as autocast makes."""
    parent = event.cpu_parent
    return parent is None or (parent.name != ATTENTION and _is_call(parent))


def _kernel(event: FunctionEvent) -> str:
    for child in event.cpu_children:
        if child.name.startswith(KERNEL) and 'math' not in child.name:
            return child.name.removeprefix(KERNEL)
        if child.name == ATTENTION:
            return _kernel(child)
    return f'math of {event.input_shapes[0]}'


# ------------------------------------------------------------------------ results


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for everything that is measured in time, the goals, and what is left."""
    begin, device = time.monotonic(), options.device
    if not options.out:
        raise InputError('name a folder for the tables by --out FOLDER')
    folder = prepare_folder(options.out, '--out')
    name = torch.cuda.get_device_name(device) if device.type == 'cuda' else 'CPU, a dry run'
    kept = {'device': name, 'torch': torch.__version__, 'jobs': {}}
    with folder_lock(folder, '--out'):
        file = folder / 'rows.json'
        if file.exists():
            before = json.loads(file.read_text())
            if {**before, 'jobs': {}} != kept:
                raise InputError(f'{file} was measured on another device or torch: choose another')
            kept = before
        for job in Jobs(options).planned():
            found = kept['jobs'].setdefault(job.name, {'table': job.table, 'begun': 0, 'rows': []})
            late = time.monotonic() + job.seconds > begin + 60 * MINUTES
            if found.get('done') or found['begun'] == ATTEMPTS or late:
                continue
            found.update(begun=found['begun'] + 1, rows=[])
            write_file(file, json.dumps(kept).encode())
            try:
                for row in job.rows():
                    found['rows'].append(row)
                    write_file(file, json.dumps(kept).encode())
                    yield {'table': job.table} | row
                found['done'] = True
            except Exception as error:  # whatever it is, the others go on
                found['rows'].append({'form': job.name, 'error': _message(error)})
            write_file(file, json.dumps(kept).encode())
            torch.compiler.reset()
            gc.collect()
            torch.cuda.empty_cache()
        goals = _write_tables(folder, kept)
    yield from ({'table': 'goals'} | goal for goal in goals)
    left = [name for name, found in kept['jobs'].items() if not found['rows']]
    yield from ({'table': 'left', 'job': name} for name in left)


def _write_tables(folder: Path, kept: dict) -> list[dict]:
    """Write a CSV file of each table; return the goals, and whether they are reached."""
    tables: dict[str, list[dict]] = {}
    for found in kept['jobs'].values():
        tables.setdefault(found['table'], []).extend(found['rows'])
    times = {
        (*(row.get(name) for name in ('form', 'step', 'engine')), row['batch']): row['median_ms']
        for row in (*tables.get('tasks', ()), *tables['models'])
        if row.get('median_ms')
    }
    goals = []
    for form, unit, most, *case in GOALS:
        batch = 2 if 'detr' in form else 128
        pair = [times.get((each, *case, batch)) for each in (form, unit)]
        found = round(pair[0] / pair[1], 3) if all(pair) else 'not measured'
        name = f'{form} / {unit}, {" ".join(case)}'
        goals.append({'goal': name, 'at_most': round(most, 3), 'found': found})
    for name, found in {'goals': goals, **tables}.items():
        columns = dict.fromkeys(key for row in found for key in row)
        whole = [{key: row.get(key, '') for key in columns} for row in found]
        if whole:
            write_file(folder / f'{name}.csv', as_csv(whole))
    return goals


if __name__ == '__main__':
    start(__doc__, rows, table=False)
