"""What a wheel gets while it is built; all else about the package is in pyproject.toml.

A wheel carries the configs, with their index, where OpenMMLab's tools look for them: in
`vitbackbones/.mim`. The pages of `docs/` lie there, too.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent


class BuildWithConfigs(build_py):
    """Copy the configs into the package, unless it is used in place (`pip install --editable`)."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            folder = Path(self.build_lib, 'vitbackbones', '.mim')
            shutil.rmtree(folder, ignore_errors=True)
            skipped = shutil.ignore_patterns('__pycache__')
            shutil.copytree(ROOT / 'configs', folder / 'configs', ignore=skipped)
            for page in (ROOT / 'docs').rglob('*.md'):  # that messages name
                copy = folder / page.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(page, copy)
            for name in ('metafile.yml', 'model-index.yml'):
                shutil.copy(ROOT / name, folder)


setup(cmdclass={'build_py': BuildWithConfigs})
