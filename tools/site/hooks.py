"""What mkdocs does beyond its settings: it adds the pages of the Python names and the tables
of other pages, mends links, and writes ``llms.txt``, a list of the pages for language models.

Pages link to files of the repository, which GitHub shows and the site does not have; here such a
link is its text alone.
"""

import re
import sys
from pathlib import Path

from mkdocs.structure.files import File, Files

sys.path.append(str(Path(__file__).parent))

from api import api_pages
from pages import site_page

LISTED: dict[str, list[str]] = {}  # lines of llms.txt by the part of the site
LINK = re.compile(r'(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)]*)?\)')


def on_files(files: Files, config) -> Files:
    """Add the pages of the Python names, which no folder holds."""
    for name, text in api_pages().items():
        files.append(File.generated(config, f'api/{name}.md', content=text))
    return files


def on_page_markdown(markdown: str, page, config, files: Files) -> str:
    """Return a page with its tables, without links to files outside of the site."""
    folder = Path(config.docs_dir, page.file.src_uri).parent

    def inside(link: re.Match) -> str:
        text, target, _ = link.groups()
        leaves = '://' not in target and not _is_below(folder / target, Path(config.docs_dir))
        return text if leaves else link[0]

    return LINK.sub(inside, site_page(page.file.src_uri.removesuffix('.md'), markdown))


def on_env(env, config, files: Files) -> None:
    """Note every page with what its first sentence says, now that titles are known."""
    LISTED.clear()
    for page in (file.page for file in files.documentation_pages()):
        part = page.ancestors[-1].title if page.ancestors else 'Start'
        prose = (text for text in page.markdown.split('\n\n') if text[:1].isalpha())
        first = ' '.join(LINK.sub(r'\1', next(prose, '')).split())
        said = f': {first}' if first else ''
        LISTED.setdefault(part, []).append(f'- [{page.title}]({page.url}){said}')


def on_post_build(config) -> None:
    """Write ``llms.txt`` (llmstxt.org) beside ``index.html``."""
    parts = [f'# {config.site_name}\n\n> {config.site_description}']
    parts += [f'## {part}\n\n' + '\n'.join(lines) for part, lines in LISTED.items()]
    Path(config.site_dir, 'llms.txt').write_text('\n\n'.join(parts) + '\n')


def _is_below(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
