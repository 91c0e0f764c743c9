"""The site builds without a warning, opens without a network, and its links lead somewhere."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from .pages import ROOT

pytest.importorskip('mkdocs', reason='of the extra docs')
LOADED = {'link': 'href', 'script': 'src', 'img': 'src', 'iframe': 'src'}


class Page(HTMLParser):
    """The links of a page, its anchors, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[key] for key in ('id', 'name') if values.get(key)}
        if tag == 'a' and values.get('href'):
            self.links.append(values['href'])
        if values.get(LOADED.get(tag, '')) and values.get('rel') != 'canonical':
            self.loaded.append(values[LOADED[tag]])


@pytest.fixture(scope='module')
def site(tmp_path_factory):
    """The pages of the site by their files; a warning of mkdocs is an error."""
    folder = tmp_path_factory.mktemp('site')
    command = [sys.executable, '-m', 'mkdocs', 'build', '--site-dir', str(folder)]
    environment = {**os.environ, 'NO_MKDOCS_2_WARNING': '1'}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return {file: Page(file.read_text()) for file in folder.rglob('*.html')}


def test_every_link_of_the_site_leads_somewhere(site):
    dead = [
        f'{file.name}: {target}'
        for file, page in site.items()
        if file.name != '404.html'  # which is served under any address
        for target in page.links + page.loaded
        if not leads(file, target, site)
    ]
    assert not dead


def leads(file, target, site):
    parts = urlsplit(target)
    if parts.scheme:
        return True
    found = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    anchor = unquote(parts.fragment)
    return found.is_file() and (not anchor or found not in site or anchor in site[found].anchors)


def test_no_page_loads_anything_from_elsewhere(site):
    assert not [url for page in site.values() for url in page.loaded if urlsplit(url).netloc]
    assert any('iframe-worker' in url for page in site.values() for url in page.loaded)


def test_every_page_is_reached_from_the_start(site):
    new = {file for file in site if file.with_name('404.html') in site and file.stem == 'index'}
    reached = set()
    while new:
        reached |= new
        links = ((file, urlsplit(link).path) for file in new for link in site[file].links)
        new = ({(file.parent / path).resolve() for file, path in links} & site.keys()) - reached
    assert {file.name for file in site.keys() - reached} <= {'404.html'}
