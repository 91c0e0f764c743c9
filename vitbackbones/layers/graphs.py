"""A network as a graph: whether it is being recorded as one, and the program that one becomes.

``torch.compile`` writes the program with the weights as constants ("freezing"). They are laid out
for the kernels of oneDNN, with the GELU or sum after a product in it. All between two products is
one loop over the tokens, where it would be many calls, so small batches gain most. It is written at
the first call, which takes half a minute to two for a whole model, and again for a second shape of
the input, which leaves the sizes that differ open.
"""

import warnings
from typing import Any

import torch
from torch import nn

from ..errors import InputError

# Programs of one forward pass, of all models that share it: one for a shape, one for all others.
PROGRAMS = 64


def is_traced() -> bool:
    """Return whether the caller is recorded or transformed, so that it needs plain operations.

    That is by ``torch.compile``, ``torch.export``, ``torch.jit.trace`` or ``torch.func``.
    """
    recorded = torch.compiler.is_compiling() or torch.jit.is_tracing()  # type: ignore[attr-defined]
    return recorded or torch._C._are_functorch_transforms_active()


def is_exported() -> bool:
    """Return whether the caller is recorded by ``torch.export``, as for a file."""
    return torch.compiler.is_compiling() and not torch.compiler.is_dynamo_compiling()


def require_compiler() -> None:
    """Check that torch finds a C++ compiler, which it builds kernels for a CPU with.

    Raises:
        InputError: it does not.
    """
    # Seconds of imports, for those who compile.
    from torch._inductor.cpp_builder import get_cpp_compiler
    from torch._inductor.exc import InvalidCxxCompiler

    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # setuptools warns if something has imported distutils
        import torch.utils.cpp_extension  # noqa: F401

    try:
        get_cpp_compiler()
    except InvalidCxxCompiler as error:
        raise InputError(
            'compilation: no C++ compiler was found. Install one (Debian: apt-get install g++), '
            'set the environment variable CXX to one, or remove --compile.'
        ) from error


def allow_programs(number: int) -> None:
    """Let ``torch.compile`` write ``number`` programs of one function before it gives up."""
    torch._dynamo.config.cache_size_limit = max(torch._dynamo.config.cache_size_limit, number)


def compile_call(model: nn.Module) -> None:
    """Let calls of ``model`` run its program, without gradients.

    Copies and pickles of the model leave the program out and answer the same. Whoever records the
    model (``torch.compile``, ``torch.export``) sees what the program was made of.

    Args:
        model: in eval mode; later changes of its parameters are not noticed.
    """
    from torch._inductor import config  # here, as it takes seconds

    allow_programs(PROGRAMS)

    def plain(*inputs, **options) -> Any:
        return model._call_impl(*inputs, **options)  # with its hooks; must not be the outermost

    program = torch.compile(plain)

    def call(*inputs, **options) -> Any:
        if is_traced():
            return plain(*inputs, **options)
        # Read wherever a program is written, and heeded without gradients only.
        with torch.no_grad(), config.patch(freezing=True):
            return program(*inputs, **options)

    model._compiled_call_impl = call  # as nn.Module.compile() does
