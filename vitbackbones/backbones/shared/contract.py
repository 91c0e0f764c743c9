"""What holds every backbone to its contract: it is finished when built, and returns a tuple."""

from abc import ABCMeta
from collections.abc import Sequence
from inspect import Signature, signature
from typing import Any

from torch import Tensor, nn

from ...errors import InputError, OptionError
from ...utils.messages import page
from ...weights.read.pickles import IMG_SIZE


class FinishedType(ABCMeta):
    """The type of backbone classes: to call such a class builds a backbone and finishes it.

    ``finish`` needs all parts, also those that a subclass adds after ``super().__init__()``, so no
    constructor of a base can call it. A subclass need not call anything. ``ABCMeta`` is the type of
    mmengine's ``BaseModule``, which a subclass may also derive from.
    """

    def __call__(cls, *arguments, **options):
        backbone = super().__call__(*arguments, **options)
        backbone.finish()
        return backbone

    @property
    def __signature__(cls) -> Signature:
        """That of the constructor, which :func:`inspect.signature` would not look up."""
        _, *parameters = signature(cls.__init__).parameters.values()  # type: ignore[misc]
        return Signature(parameters)


def require_tuple(backbone: nn.Module, images: tuple[Tensor], outputs: Sequence[Tensor]) -> None:
    """Refuse what is no tuple, such as a tensor: a neck or a head would take its images for maps.

    Raises:
        InputError: it is of another type; the tools show this as it is, before or in a run.
    """
    if not isinstance(outputs, tuple | list):
        kind = 'a tensor' if isinstance(outputs, Tensor) else f'a {type(outputs).__name__}'
        remedy = 'forward must return a tuple, one entry per map'
        raise contract_broken(backbone, f'returns {kind}', remedy, InputError)


def contract_broken(
    backbone: nn.Module, problem: str, remedy: str, kind: type[ValueError] = OptionError
) -> ValueError:
    """Return the error for what a subclass lacks: what it is, what to do, where to read more."""
    return kind(f'{type(backbone).__name__} {problem}: {remedy}; see {page("adding_a_backbone")}')


def note_img_size(backbone: Any, state: dict, prefix: str, about: dict) -> None:
    """Note the image size beside the weights, where torch notes a version of each module.

    The shape of a position code does not tell its grid: 7 x 28 cells are as many as 14 x 14.
    """
    about[IMG_SIZE] = tuple(backbone.img_size)
