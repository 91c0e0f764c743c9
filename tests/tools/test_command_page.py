"""docs/commands.md says what the parsers take."""

from vitbackbones.verbs import VERBS

from .conftest import ROOT, load_tool


def test_the_file_is_current():
    text = load_tool('command_page').page()
    assert (ROOT / 'docs' / 'commands.md').read_text() == text
    assert [line[3:] for line in text.splitlines() if line.startswith('## ')] == [*VERBS]
