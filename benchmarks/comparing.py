"""Several models that take turns in every case that was asked for, as rows of a table."""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from pathlib import Path

import torch
from torch import Tensor, nn

from vitbackbones.errors import InputError
from vitbackbones.utils.files import as_csv, prepare_folder, write_file

from .model_sources import Source, build_model
from .timing import compare

# sources of models that are not forms of ours, or round otherwise; of all others answers are equal
OTHERS = ('plain', 'timm', 'mmpretrain', 'mmdet')
TRAINED = ('ours', *OTHERS)
IN_BFLOAT16 = ('fused_bf16', 'compiled_bf16', 'openvino_bf16')
ROUGH = (*IN_BFLOAT16, 'openvino_int8')
# greatest difference of answers, in units of the largest answer
EQUAL = 1e-4
ROUGHLY_EQUAL = 0.2
STEPS = ('forward', 'train')
ENGINES = {'eager': lambda model: model, 'compiled': partial(torch.compile, dynamic=False)}
PRECISIONS = {'float32': torch.float32, 'bfloat16': torch.bfloat16}


@dataclass(frozen=True)
class Case:
    """What a step is measured with."""

    step: str  # one of STEPS
    engine: str  # a key of ENGINES
    precision: str  # a key of PRECISIONS, of weights and images
    size: tuple[int, int]  # (height, width) of the images
    batch: int

    def columns(self) -> dict:
        """Return the fields as columns of a table."""
        return asdict(self) | {'size': 'x'.join(map(str, self.size))}

    def __str__(self) -> str:
        return ' '.join(map(str, self.columns().values()))


def make_step(model: nn.Module, case: Case, device: torch.device) -> Callable[[], object]:
    """Return a function that runs the model on a batch of images, and back if it is a training.

    ``model`` maps images (N, 3, H, W) to logits or to a list of maps.
    """
    dtype = PRECISIONS[case.precision]
    model.to(device).train(case.step == 'train')
    if dtype != torch.float32:  # a model that is fused for bfloat16 stays in it in any case
        model.to(dtype)
    generator = torch.Generator().manual_seed(0)  # the same images for all
    image = torch.randn(case.batch, 3, *case.size, generator=generator).to(device, dtype)
    run = ENGINES[case.engine](model)
    if case.step == 'forward':
        return torch.inference_mode()(lambda: run(image))
    optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=1e-4)

    def step() -> None:
        outputs = run(image)
        outputs = [outputs] if isinstance(outputs, Tensor) else outputs
        sum(x.float().square().mean() for x in outputs).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def outputs_of(spec: str, case: Case, step: Callable[[], object]) -> list[Tensor]:
    """Run a step once and return its outputs in float32; none of a training step.

    Raises:
        InputError: the model ``spec`` cannot take such images, or cannot be compiled.
    """
    try:
        outputs = step()
    except (AssertionError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f'{spec} cannot run this case ({case}): {reason[0]}') from error
    outputs = [outputs] if isinstance(outputs, Tensor) else outputs or []
    return [x.float() for x in outputs]


def cases(options: Namespace, batches: Mapping[tuple[int, int], Sequence[int]]) -> Iterator[Case]:
    """Yield what to measure.

    Args:
        options: the command line, which may name sizes and numbers of images.
        batches: the sizes (height, width) if it does not, and numbers of images for each.
    """
    for kind in product(options.step, options.engine, options.precision):
        for size in options.size or batches:
            for batch in options.batch or batches.get(size, (1, 8)):
                yield Case(*kind, size, batch)


def compared(
    models: Sequence[str],
    case: Case,
    options: Namespace,
    sources: Mapping[str, Source],
    approach: int = 0,
) -> Iterator[dict]:
    """Yield a row for each of several ``models`` that take turns in one case.

    Forms of one model have the same weights, and are timed only if they answer alike. ``approach``
    is that of :func:`~benchmarks.timing.interleaved_seconds`.

    Raises:
        InputError: a model is unknown, cannot run the case, or answers otherwise than a form of it
            that comes before.
    """
    torch.compiler.reset()
    steps, answers = {}, {}
    for spec in models:
        source, _, name = spec.partition(':')
        if case.step == 'train' and source not in TRAINED:
            raise InputError(f'{spec}: this form cannot be trained; leave it out of --step train')
        torch.manual_seed(0)
        model = build_model(spec, case.size, sources, options.features)
        steps[spec] = make_step(model, case, options.device)
        answer = outputs_of(spec, case, steps[spec])
        if case.step == 'forward' and source not in OTHERS:
            _require_equal(spec, answer, answers.setdefault(name, answer), case.precision)
    protocol = options.repeats, options.warm_up, approach
    for row in compare(steps, options.device, *protocol):
        throughput = round(1e3 * case.batch / row['median_ms'], 1)
        yield case.columns() | {'images_per_s': throughput} | row


def _require_equal(
    spec: str, answer: Sequence[Tensor], expected: Sequence[Tensor], precision: str
) -> None:
    rough = precision == 'bfloat16' or spec.startswith(ROUGH)
    allowed = ROUGHLY_EQUAL if rough else EQUAL
    for ours, theirs in zip(answer, expected, strict=True):
        difference = ((ours - theirs).abs().max() / theirs.abs().max()).item()
        if not difference <= allowed:
            raise InputError(
                f'{spec}: its answers differ by {difference:.1g} of the largest; '
                f'forms of one model are compared where they are equal to {allowed:g}'
            )


def report(rows: Iterable[dict], file: str | None) -> None:
    """Print each row of a table when it comes, and write all so far to a CSV ``file`` if given.

    Where the columns change, their names are printed again.

    Raises:
        InputError: the file cannot be written; before the first row is measured.
    """
    if file:
        prepare_folder(Path(file).parent, '--out')
    kept: list[dict] = []
    for row in rows:
        if not kept or row.keys() != kept[-1].keys():
            print(_line(row))
        print(_line(row.values()), flush=True)
        kept.append(row)
        if file:
            write_file(file, as_csv(kept))


def _line(cells: Iterable) -> str:
    return ' '.join(f'{cell:>10}' for cell in cells)
