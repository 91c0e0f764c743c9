"""The site builds without a warning, of dead links too, and opens without a network."""

import os
import re
import subprocess
import sys

import pytest

from .pages import ROOT

pytest.importorskip('mkdocs', reason='of the extra docs')
LOADED = re.compile(r'<(?:script|img|iframe)[^>]* src="([^"]+)"|<link[^>]* href="([^"]+)"[^>]*>')


@pytest.fixture(scope='module')
def site(tmp_path_factory):
    """The pages of the site; a warning of mkdocs is an error."""
    folder = tmp_path_factory.mktemp('site')
    command = [sys.executable, '-m', 'mkdocs', 'build', '--site-dir', str(folder)]
    environment = {**os.environ, 'NO_MKDOCS_2_WARNING': '1'}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [file.read_text() for file in folder.rglob('*.html')]


def test_no_page_loads_anything_from_elsewhere(site):
    loaded = [''.join(found) for page in site for found in LOADED.findall(page)]
    assert not [address for address in loaded if address.startswith(('http:', 'https:', '//'))]
    assert any('iframe-worker' in address for address in loaded)
