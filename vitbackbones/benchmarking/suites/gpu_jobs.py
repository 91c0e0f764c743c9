"""The jobs of the suite for GPUs, in order: what to measure, made from the plan."""

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from ..model_sources import Source
from ..steps import PRECISIONS, STEPS, Case
from .gpu_kernels import attention_rows, launches
from .gpu_models import Step, build_step, compared, runnable, timed, trainable
from .gpu_plan import Group, Plan, Size
from .gpu_roofline import peaks, shares
from .gpu_tables import Tables
from .gpu_tasks import TASKS, make_step

# what a step probably takes at most to be built and measured, in seconds
EAGER = 2.5
COMPILED = {'forward': 20.0, 'train': 40.0}

Images = tuple[Size, int]  # size and number


@dataclass(frozen=True)
class Job:
    """Rows of one table that are measured together.

    Attributes:
        table: its name.
        name: what is measured, in words; no two jobs have the same.
        seconds: what it probably takes at most.
        rows: yields them.
    """

    table: str
    name: str
    seconds: float
    rows: Callable[[], Iterator[dict]]


def _images(sizes: Mapping[Size, Sequence[int]]) -> list[Images]:
    """Return each size with each of its numbers of images, in order."""
    return [(size, batch) for size, batches in sizes.items() for batch in batches]


@dataclass(frozen=True)
class Jobs:
    """Makes jobs.

    Args:
        plan: what is measured.
        options: the command line.
        sources: where models come from.
        tables: what is measured already.
    """

    plan: Plan
    options: Namespace
    sources: Mapping[str, Source]
    tables: Tables

    def planned(self) -> list[Job]:
        """Return all jobs, what says most first."""
        plan = self.plan
        first, *later = _images(plan.sizes)
        maps = _images(plan.map_sizes)
        jobs = [
            Job('device', 'peaks', EAGER, self._peaks),
            *self.attention(plan.precision),
            *self.tasks('eager'),
            *self.models(plan.logits, 'eager', [first]),
            *self.models(plan.compiled, 'compiled', [first], ['forward']),
            *self.kernels(),
            *self.roofline(),
            *self.models(plan.logits, 'eager', later),
            *self.models(plan.maps, 'eager', maps, maps=True),
        ]
        return [*jobs, *self._slowest(first, later, maps)] if plan.compiled else jobs

    def _slowest(self, first: Images, later: list[Images], maps: list[Images]) -> Iterator[Job]:
        """Yield what is compiled after all else was measured, and attention in float32."""
        yield from self.tasks('compiled')
        yield from self.models(self.plan.compiled, 'compiled', [first], ['train'])
        yield from self.attention('float32')
        yield from self.models(self.plan.logits, 'compiled', [first, *later])
        yield from self.models(self.plan.maps, 'compiled', maps, maps=True)

    def models(
        self,
        groups: Sequence[Group],
        engine: str,
        images: Sequence[Images],
        steps: Sequence[str] = STEPS,
        maps: bool = False,
    ) -> Iterator[Job]:
        """Yield a job for each group of models that take turns in a case.

        Args:
            groups: what is compared.
            engine: a key of ``steps.ENGINES``.
            images: sizes and numbers of images.
            steps: some of ``steps.STEPS``.
            maps: whether the answers of backbones are measured, not classifiers.
        """
        for ((size, batch), step), group in product(product(images, steps), groups):
            case = Case(step, engine, self.plan.precision, size, batch)
            each = EAGER if engine == 'eager' else COMPILED[step]
            rows = partial(compared, group, case, self.options, self.sources, maps)
            name = f'{case}{" maps" if maps else ""}: {", ".join(group)}'
            yield Job('models', name, each * len(group), rows)

    def attention(self, precision: str) -> Iterator[Job]:
        """Yield a job for each model of this project, and each task, to see its attention."""
        for spec, step in product(self.plan.own, STEPS):
            case = Case(step, 'eager', precision, self.plan.counted, 2)
            rows = partial(self._attention, spec, precision, step, partial(self._step, spec, case))
            yield Job('attention', f'attention {spec} {step} {precision}', EAGER, rows)
        if precision != self.plan.precision:
            return
        for task in TASKS:
            build = partial(self._task_step, task, 'ours', 'eager')
            rows = partial(self._attention, task, 'bfloat16 autocast', 'train', build)
            yield Job('attention', f'attention {task}', 2 * EAGER, rows)

    def tasks(self, engine: str) -> Iterator[Job]:
        """Yield a job for each task, a training step in both forms."""
        for task in TASKS:
            seconds = 4 * EAGER if engine == 'eager' else 2 * COMPILED['train']
            yield Job('tasks', f'{task} {engine}', seconds, partial(self._task, task, engine))

    def kernels(self) -> Iterator[Job]:
        """Yield a job for each group of models and kind of step, to count kernels."""
        for group, step in product(self.plan.logits, STEPS):
            name = f'kernels {step}: {", ".join(group)}'
            yield Job('kernels', name, EAGER * len(group), partial(self._kernels, group, step))

    def roofline(self) -> Iterator[Job]:
        """Yield a job for each model of this project and kind of step."""
        for spec, step in product(self.plan.own, STEPS):
            rows = partial(self._roofline, spec, step)
            yield Job('roofline', f'roofline {spec} {step}', 2 * EAGER, rows)

    # -- what the jobs do -------------------------------------------------------------------------
    def _step(self, spec: str, case: Case) -> Step:
        return build_step(spec, case, self.options, self.sources)

    def _task_step(self, task: str, form: str, engine: str) -> Step:
        size = getattr(self.plan, task)
        return make_step(task, form, size, self.plan.narrow, engine, self.options.device)

    def _peaks(self) -> Iterator[dict]:
        dtype = PRECISIONS[self.plan.precision]
        yield peaks(self.options.device, dtype, self.plan.peak_side)

    def _attention(
        self, subject: str, precision: str, step: str, build: Callable[[], Step]
    ) -> Iterator[dict]:
        for row in attention_rows(build(), self.options.device):
            yield {'subject': subject, 'precision': precision, 'step': step} | row

    def _task(self, task: str, engine: str) -> Iterator[dict]:
        forms = (TASKS[task].theirs, 'ours')
        builders = {form: partial(self._task_step, task, form, engine) for form in forms}
        size = 'x'.join(map(str, getattr(self.plan, task)))
        for row in timed(builders, 2, self.options):
            yield {'task': task, 'engine': engine, 'size': size, 'batch': 2} | row

    def _kernels(self, group: Group, step: str) -> Iterator[dict]:
        case = Case(step, 'eager', self.plan.precision, self.plan.counted, 2)
        specs = trainable(group) if step == 'train' else group
        steps, errors = runnable({spec: partial(self._step, spec, case) for spec in specs})
        counts = {spec: launches(one, self.options.device) for spec, one in steps.items()}
        for spec in specs:
            row = {'form': spec, 'step': step}
            if spec in errors:
                yield row | {'error': errors[spec]}
            else:
                ratio = counts[spec] / next(iter(counts.values()))
                yield row | {'kernels': counts[spec], 'ratio': round(ratio, 3)}

    def _roofline(self, spec: str, step: str) -> Iterator[dict]:
        size, batch = self.plan.busy
        case = Case(step, 'eager', self.plan.precision, size, batch)
        (peak,) = self.tables.table('device')
        found = shares(self._step(spec, case), self.options.device, peak, self.options.repeats)
        yield {'form': spec} | case.columns() | found
