"""An import that fails, and one that ends its process, are both an answer."""

import pytest

from vitbackbones.configuration.doctor.probes import Probe, probe, run_probes

CRASH = 'import os, signal; os.kill(os.getpid(), signal.SIGSEGV)'


def test_answers_are_the_last_line_that_a_program_prints():
    program = 'import json\nprint("welcome")\nprint(json.dumps(dict(version="1")))'
    assert probe(program) == Probe(answers={'version': '1'})


@pytest.mark.parametrize(
    ('program', 'error'),
    [
        ('raise RuntimeError("operator does not exist")', 'RuntimeError: operator does not exist'),
        ('raise ImportError("numpy failed\\n\\nread this page")', 'ImportError: numpy failed'),
        (CRASH, 'the process was ended by SIGSEGV'),
        ('raise SystemExit(7)', 'exit status 7'),
    ],
)
def test_a_program_that_fails_is_named_by_its_error(program, error):
    assert probe(program).error == error


def test_a_program_without_an_end_is_given_up(monkeypatch):
    monkeypatch.setattr('vitbackbones.configuration.doctor.probes.SECONDS', 0.2)
    assert 'no answer' in probe('import time; time.sleep(9)').error


def test_a_missing_module_is_named():
    found = run_probes({'a': 'import not_there.at_all', 'b': 'print("{}")'})
    assert (found['a'].missing, found['b'].missing) == ('not_there', '')
