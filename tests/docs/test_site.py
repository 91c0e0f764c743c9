"""The site builds without a warning, of dead links too, and opens without a network."""

import re
import subprocess
import sys

import pytest

from .pages import ROOT

pytest.importorskip('zensical', reason='of the group docs')
LOADED = re.compile(r'<(?:script|img|iframe)[^>]* src="([^"]+)"|<link[^>]* href="([^"]+)"[^>]*>')


@pytest.fixture(scope='module')
def site(tmp_path_factory):
    """The folder of the site; a warning of Zensical is an error."""
    folder = tmp_path_factory.mktemp('site')
    command = [sys.executable, 'tools/site/build.py', str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_list_for_language_models_has_every_page(site):
    text = (site / 'llms.txt').read_text()
    assert text.startswith('# vitbackbones\n\n> ')
    listed = re.findall(r'^- \[.+\]\((.+)\): \w', text, re.MULTILINE)
    pages = {str(file.relative_to(site)) for file in site.rglob('*.html')} - {'404.html'}
    assert {*listed} == pages
    assert len(listed) == len(pages)


def test_no_page_loads_anything_from_elsewhere(site):
    pages = [file.read_text() for file in site.rglob('*.html')]
    loaded = [''.join(found) for page in pages for found in LOADED.findall(page)]
    assert not [address for address in loaded if address.startswith(('http:', 'https:', '//'))]
    assert any('iframe-worker' in address for address in loaded)
