"""The site of the documentation, built by Zensical from mkdocs.yml and the pages of docs/.

python tools/site/build.py [FOLDER]      # make docs; FOLDER is site/ by default

Zensical runs no hooks, so the pages are prepared first, in build/site/pages: pages of the Python
names are added, and some pages get their tables. Pages link to files of the repository, which
GitHub shows and the site does not have; such a link becomes its text. ``llms.txt`` (llmstxt.org)
is a list of the pages for language models.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

sys.path.append(str(Path(__file__).parent))

from api import api_pages
from pages import DOCS, ROOT, site_page

LINK = re.compile(r'(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)]*)?\)')
CODE = re.compile(r'<code>.*?</code>', re.DOTALL)
OPTION = re.compile(r'(?<![\w-])--[a-z][\w-]*')
TITLE = re.compile(r'^# (.+)$', re.MULTILINE)


class Entry(NamedTuple):
    """A page in the navigation: the part of the site that it belongs to, and its file."""

    part: str
    file: str


def prepare(folder: Path) -> None:
    """Write all pages of the site to ``folder``, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder)
    for page in DOCS.rglob('*.md'):
        place = page.relative_to(DOCS)
        text = site_page(str(place.with_suffix('')), page.read_text())
        (folder / place).write_text(without_links_outside(text, page.parent))
    (folder / 'api').mkdir()
    for name, text in api_pages().items():
        (folder / 'api' / f'{name}.md').write_text(text)


def without_links_outside(text: str, folder: Path) -> str:
    """Return the text of a page in ``folder``; a link to a file outside of docs/ is text alone."""

    def inside(link: re.Match) -> str:
        words, target, _ = link.groups()
        is_outside = '://' not in target and not (folder / target).resolve().is_relative_to(DOCS)
        return words if is_outside else link[0]

    return LINK.sub(inside, text)


def navigation() -> list[Entry]:
    """Return the pages of mkdocs.yml in their order; pages of its first level are at the start."""
    nav = yaml.unsafe_load((ROOT / 'mkdocs.yml').read_text())['nav']  # ours, with a Python name
    entries = []
    for item in nav:
        (title, below), *_ = item.items()
        part = 'Start' if isinstance(below, str) else title
        entries += [Entry(part, file) for file in files_below(below)]
    return entries


def files_below(item: str | list | dict) -> Iterator[str]:
    """Yield the files of an item of the navigation."""
    if isinstance(item, str):
        yield item
        return
    for below in item.values() if isinstance(item, dict) else item:
        yield from files_below(below)


def require_all(entries: list[Entry], folder: Path) -> None:
    """Stop where a page is not in the navigation, or an entry has no page."""
    named = {entry.file for entry in entries}
    pages = {str(page.relative_to(folder)) for page in folder.rglob('*.md')}
    if named != pages:
        sys.exit(f'mkdocs.yml: pages and nav differ in {", ".join(sorted(named ^ pages))}')


def keep_options_whole(folder: Path) -> None:
    """Let lines of code wrap between words, and never behind the hyphens of an option."""

    def whole(code: re.Match) -> str:
        return OPTION.sub(r'<span class="option">\g<0></span>', code[0])

    for page in folder.rglob('*.html'):
        page.write_text(CODE.sub(whole, page.read_text()))


def list_of_pages(entries: list[Entry], folder: Path) -> str:
    """Return llms.txt: every page with its title and its first sentence."""
    settings = yaml.unsafe_load((ROOT / 'mkdocs.yml').read_text())
    lines: dict[str, list[str]] = {}
    for part, file in entries:
        text = (folder / file).read_text()
        paragraphs = (each for each in text.split('\n\n') if each[:1].isalpha())
        first = ' '.join(LINK.sub(r'\1', next(paragraphs, '')).split())
        about = f': {first}' if first else ''
        url = str(Path(file).with_suffix('.html'))
        lines.setdefault(part, []).append(f'- [{TITLE.search(text)[1]}]({url}){about}')
    parts = [f'# {settings["site_name"]}\n\n> {settings["site_description"]}']
    parts += [f'## {part}\n\n' + '\n'.join(pages) for part, pages in lines.items()]
    return '\n\n'.join(parts) + '\n'


def main() -> None:
    site = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / 'site').resolve()
    place = ROOT / 'build' / 'site'
    pages = place / 'pages'
    prepare(pages)
    entries = navigation()
    require_all(entries, pages)
    config = place / 'mkdocs.yml'
    settings = (ROOT / 'mkdocs.yml').read_text()
    config.write_text(f'{settings}\ndocs_dir: pages\nsite_dir: made\n')
    command = [sys.executable, '-m', 'zensical', 'build', '--clean', '--config-file', str(config)]
    status = subprocess.run(command, cwd=ROOT).returncode
    if status:
        sys.exit(status)
    shutil.rmtree(site, ignore_errors=True)
    shutil.move(place / 'made', site)
    keep_options_whole(site)
    (site / 'llms.txt').write_text(list_of_pages(entries, pages))


if __name__ == '__main__':
    main()
