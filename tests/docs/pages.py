"""The pages of the documentation, taken apart: blocks of code, headings, links.

A block that no test can run is marked, with the reason, in the line before it; a config that only
makes sense on top of another one names that one:

    <!-- not run: needs Slurm -->
    <!-- config: vitbackbones::imagenet/cls_deit_ti.py -->
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
DOCS = ROOT / 'docs'
PAGES = [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted(DOCS.rglob('*.md'))]
MARK = re.compile(r'<!-- (not run|config): (.+?) -->\s*$')
SAVED = re.compile(r'Save as `([^`]+)`')


@dataclass(frozen=True)
class Block:
    """A block of code.

    Attributes:
        place: page and line, for messages.
        language: what the fence says; of an indented block what its text looks like.
        mark: ``'not run'``, ``'config'`` or nothing.
        note: what the mark says.
        file: the name under which the page has it saved, if it has.
    """

    place: str
    language: str
    text: str
    mark: str
    note: str
    file: str


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of code of a page, in their order."""
    text = page.read_text()
    before = Token('', '', 0)
    for token in MarkdownIt('commonmark').enable('table').parse(text):
        if token.type in ('fence', 'code_block'):
            mark = MARK.search(before.content if before.type == 'html_block' else '')
            saved = SAVED.search(before.content if before.type == 'inline' else '')
            yield Block(
                place=f'{name_of(page)}:{token.map[0] + 1}',
                language=token.info.split()[0] if token.info else guess(token.content),
                text=token.content,
                mark=mark[1] if mark else '',
                note=mark[2] if mark else '',
                file=saved[1] if saved else '',
            )
        if token.type in ('fence', 'code_block', 'html_block', 'inline'):
            before = token


def guess(text: str) -> str:
    """Return the language of a block that does not say it."""
    try:
        ast.parse(text)
    except SyntaxError:
        return 'bash'
    return 'python'


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    tokens = MarkdownIt('commonmark').parse(page.read_text())
    found = set()
    for opening, inline in pairwise(tokens):
        if opening.type == 'heading_open':
            # only text, also of code and links
            words = ''.join(child.content for child in inline.children)
            found.add(re.sub(r'[^\w\- ]', '', words.lower()).replace(' ', '-'))
    return found


def links(page: Path) -> Iterator[tuple[str, str]]:
    """Yield place and target of each link and picture of a page."""
    for token in MarkdownIt('commonmark').enable('table').parse(page.read_text()):
        for child in token.children or ():
            target = child.attrGet('href') or child.attrGet('src')
            if target:
                yield f'{name_of(page)}:{token.map[0] + 1}', target
