"""``tools/compare_quick.sh``: what it compares is there."""

import re

from vitbackbones.configuration.names import config_files

from .conftest import ROOT


def test_the_script_names_shipped_configs():
    text = (ROOT / 'tools' / 'compare_quick.sh').read_text()
    names = re.findall(r'^compare (\w+)', text, re.MULTILINE)
    assert len(names) == 4
    assert {*names} <= {*config_files()}
