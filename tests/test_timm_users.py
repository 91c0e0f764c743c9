"""docs/timm_users.md: its code runs as it stands, and what its comments say is what comes out."""

import re
from pathlib import Path

from vitbackbones import list_models

PAGE = (Path(__file__).parents[1] / 'docs/timm_users.md').read_text()
BLOCKS = re.findall(r'```python\n(.*?)```', PAGE, re.DOTALL)
PRINTED = re.findall(r'^print\(.*\)  # (\[.*\])$', PAGE, re.MULTILINE)


def test_all_code_runs_in_one_go_and_prints_what_it_says(capsys):
    names = {}
    for block in BLOCKS:
        exec(block, names)
    printed = capsys.readouterr().out.splitlines()
    assert len(PRINTED) == 4
    assert set(PRINTED) <= set(printed)
    assert printed[0] == str(list_models('tnt*'))
    parameters = [*names['detector'].parameters(), *names['lateral'].parameters()]
    learned = [each for each in parameters if each.requires_grad]
    assert all(each.grad is not None and each.grad.isfinite().all() for each in learned)
    assert names['scores'].shape == (1, 5, 64, 64)
    assert names['vectors'].shape == (1, names['model'].num_features)
