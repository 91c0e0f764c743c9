"""mmcv's operators without its compiled extension, on torchvision's kernels and plain torch.

``mmcv.ops`` calls ``mmcv._ext``, which is compiled for one pair of torch and CUDA. Where it is not
installed, :class:`Operators` takes its place. It has what the configs of this package and of the
toolboxes call, with the extension's signatures, so that mmcv's own modules and gradients stay in
use. The functions run on every device and in every floating type, computing in
float32 at least.
"""

import csv
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

# By the module that has them, the operators that are served.
with open(Path(__file__).with_name('operators.csv'), newline='', encoding='utf-8') as _rows:
    SERVED = {row['module']: row['operators'].split() for row in csv.DictReader(_rows)}
OPERATORS = {
    name: resolve_name(f'{__name__}.{module}:{name}')
    for module, names in SERVED.items()
    for name in names
}


class Operators(ModuleType):
    """Stands in for ``mmcv._ext``. An operator that is not served says so when it is called."""

    def __getattr__(self, name: str):
        if name.startswith('__'):
            raise AttributeError(name)
        if name in OPERATORS:
            return OPERATORS[name]

        def missing(*args, **kwargs):
            raise ImportError(
                f'mmcv operator {name!r} requires the compiled mmcv extension, which is not '
                f'installed. vitbackbones replaces only {", ".join(OPERATORS)}. Install mmcv '
                'with its operators.'
            )

        return missing
