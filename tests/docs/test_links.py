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
