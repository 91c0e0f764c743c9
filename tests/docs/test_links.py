"""Every link of a page leads to a file or a heading that is there."""

import pytest

from .pages import PAGES, ROOT, anchors, links, name_of


def dead(place: str, target: str, page) -> str | None:
    """Return what is wrong with a link, None if it leads somewhere."""
    if '://' in target or target.startswith('mailto:'):
        return None
    path, _, anchor = target.partition('#')
    file = (page.parent / path).resolve() if path else page
    if not file.exists() or not file.is_relative_to(ROOT):
        return f'{place}: {target}: no such file'
    if anchor and anchor not in anchors(file):
        return f'{place}: {target}: no such heading'
    return None


@pytest.mark.parametrize('page', PAGES, ids=name_of)
def test_no_link_is_dead(page):
    faults = [dead(place, target, page) for place, target in links(page)]
    assert not list(filter(None, faults))


def test_a_dead_link_is_named_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr('tests.docs.pages.ROOT', tmp_path)
    monkeypatch.setattr('tests.docs.test_links.ROOT', tmp_path)
    page = tmp_path / 'page.md'
    page.write_text('# A `name`, and more\n\n[a](#a-name-and-more), [b](#other)\n\n[c](none.md)\n')
    faults = [dead(place, target, page) for place, target in links(page)]
    assert faults == [
        None,
        'page.md:3: #other: no such heading',
        'page.md:5: none.md: no such file',
    ]
