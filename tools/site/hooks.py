"""What mkdocs does beyond its settings: it adds the pages of the Python names and the tables
of other pages, and mends links.

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


def _is_below(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
