# Every command runs in a virtual environment made here; nothing outside the clone is changed.
#
#   make demo            train, evaluate and draw a small Aug-ViT DETR; takes up what is there
#   make demo-seg        the same for a small MSF-ViT with SETR's MLA head
#   make test            lint, then the whole test suite; make test ORDER=--random-order shuffles
#                        it and prints the seed, ORDER=--random-order-seed=N repeats that order
#   make test-openmmlab  the compatibility tests beside the original OpenMMLab releases
#   make mutate          change the package in 120 places and list the changes that no test sees
#   make lint            style only; make format fixes what it can
#   make clean           remove the environments and caches (never data, weights or results)
#
# `make demo PYTHON=/path/to/python3.12` chooses the interpreter (after make clean, if an
# environment is already there). The network is needed once, to install.

SUPPORTED := import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info < (3, 13))
PYTHON ?= $(shell for python in python3.12 python3.11 python3.10 python3; do \
	$$python -c '$(SUPPORTED)' 2>/dev/null && echo $$python && break; done)

PY := .venv/bin/python

.PHONY: demo demo-seg test test-openmmlab mutate lint format clean

demo: CONFIG := configs/shapes/detr_aug_vit_s.py
demo-seg: CONFIG := configs/shapes/setr_mla_msf_vit_ti.py
demo demo-seg: RESULTS = work_dirs/$@
demo demo-seg: .venv/.installed
	$(PY) -m vitbackbones.datasets.shapes data/shapes
	$(PY) tools/train.py $(CONFIG) --work-dir $(RESULTS) \
	  $$(ls $(RESULTS)/*.pth >/dev/null 2>&1 && echo --resume)
	$(PY) tools/test.py $(CONFIG) $(RESULTS) --draw $(RESULTS)/pictures

test: lint
	$(PY) -m pytest --numprocesses 2 $(ORDER)

test-openmmlab: .venv-openmmlab/.installed
	.venv-openmmlab/bin/python -m pytest -m compat

mutate: .venv/.installed
	$(PY) tests/mutate.py

lint: .venv/.installed
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

format: .venv/.installed
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

clean:
	rm -rf .venv .venv-openmmlab .pytest_cache .ruff_cache build *.egg-info
	find vitbackbones tests tools -name __pycache__ -prune -exec rm -rf {} +

# --- environments ---------------------------------------------------------------------------
# .installed is touched last: an interrupted installation is taken up again by the next make.

.venv/.installed: EXTRAS := onedl,dev,export
.venv/.installed: PINS := constraints.txt
.venv/.installed: constraints.txt

.venv-openmmlab/.installed: EXTRAS := openmmlab,dev
.venv-openmmlab/.installed: PINS := constraints-openmmlab.txt
.venv-openmmlab/.installed: constraints.txt constraints-openmmlab.txt

# The sources of onedl-mmcv compile its operators if they find torch while building. pip builds
# in an environment of its own, without torch, so what comes out is pure Python: no compiler.
#
# opencv-python (asked for by mmcv and mmseg) and opencv-python-headless install the same folder
# cv2. The first needs libGL, which a server does not have; the second is written over it.
%/.installed: setup.py
	@"$(PYTHON)" -c '$(SUPPORTED)' 2>/dev/null || { echo "error: Python 3.10, 3.11 or 3.12 with" \
	  "venv is needed, found: $(or $(PYTHON),none). On Debian: apt-get install python3 python3-venv." \
	  "To name another interpreter: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	"$(PYTHON)" -m venv $*
	$*/bin/python -m pip install --quiet --constraint $(PINS) pip
	$*/bin/python -m pip install --constraint $(PINS) --build-constraint $(PINS) \
	  --editable '.[$(EXTRAS)]'
	$*/bin/python -m pip install --quiet --constraint $(PINS) --ignore-installed --no-deps \
	  opencv-python-headless
	$*/bin/python -m pip check
	$*/bin/python -c 'import cv2, torchvision; assert cv2.version.headless'
	touch $@
