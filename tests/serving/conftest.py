"""The tests of the server need its extra, which not every environment of the Makefile has."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec('fastapi') and find_spec('httpx') else ['test_*.py']
