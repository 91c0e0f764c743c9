"""Several models in every case that was asked for, as rows of a table."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import torch
from torch import Tensor

from ...errors import InputError
from .model_sources import Source, build_model
from .timed_steps import Case, make_step, outputs_of
from .timing import compare

# sources of models that are not forms of ours, or round otherwise; of all others answers are equal
OTHERS = ('plain', 'timm', 'mmpretrain', 'mmdet')
TRAINED = ('ours', *OTHERS)
IN_BFLOAT16 = ('fused_bf16', 'compiled_bf16')
# greatest difference of answers, in units of the largest answer
EQUAL = 1e-4
EQUAL_IN_BFLOAT16 = 0.2


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
    is that of :func:`~vitbackbones.results.benchmark.timing.interleaved_seconds`.

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
    rough = precision == 'bfloat16' or spec.startswith(IN_BFLOAT16)
    allowed = EQUAL_IN_BFLOAT16 if rough else EQUAL
    for ours, theirs in zip(answer, expected, strict=True):
        difference = ((ours - theirs).abs().max() / theirs.abs().max()).item()
        if not difference <= allowed:
            raise InputError(
                f'{spec}: its answers differ by {difference:.1g} of the largest; '
                f'forms of one model are compared where they are equal to {allowed:g}'
            )
