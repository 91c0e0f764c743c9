"""The text of a config, which mmengine writes to logs, files and every checkpoint."""

from collections.abc import Callable
from functools import lru_cache

KEPT = 4  # texts; a run has one or two


def lay_out_once(format_code: Callable) -> Callable:
    """Remember the layout of the last texts; ``format_code`` is yapf's ``FormatCode``."""

    @lru_cache(maxsize=KEPT)
    def laid_out(text: str, style: tuple, options: tuple):
        return format_code(text, style_config=dict(style), **dict(options))

    def format_code_once(unformatted_source: str, style_config=None, **options):
        if not isinstance(style_config, dict):  # a name or a file, as others than mmengine give
            return format_code(unformatted_source, style_config=style_config, **options)
        return laid_out(unformatted_source, (*style_config.items(),), (*options.items(),))

    return format_code_once
