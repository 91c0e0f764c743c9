"""Docstrings as Markdown: griffe, which reads them for the site, calls this for each of them."""

import re

from griffe import Extension, Object

ROLE = re.compile(r':(?:class|func|meth|mod|data|attr|exc):`~?([^`]+)`')
SESSION = re.compile(r'^>>> .*(?:\n(?!\s*$).+)*', re.MULTILINE)


class MarkdownDocstrings(Extension):
    """Write Sphinx's roles and interactive sessions as Markdown."""

    def on_object(self, *, obj: Object, **_) -> None:
        if obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """Return a docstring with its roles as code and its sessions as blocks of code."""
    return SESSION.sub(r'```pycon\n\g<0>\n```', ROLE.sub(r'`\1`', text))
