# Every command runs in a virtual environment made here; nothing outside the clone is changed.
#
#   make demo            train, evaluate and draw a small Aug-ViT DETR; takes up what is there
#   make demo-seg        the same for a small MSF-ViT with SETR's MLA head
#   make test            lint, then the whole test suite; make test ORDER=--random-order shuffles
#                        it and prints the seed, ORDER=--random-order-seed=N repeats that order
#   make lived-in        leave data, a run and a cache in the clone, as a user does; the tests must
#                        not see them, and CI runs this before them
#   make test-openmmlab  the compatibility tests beside the original OpenMMLab releases;
#                        make test-newest and make test-oldest: beside the newest releases of
#                        everything, and beside the lower bounds of pyproject.toml
#   make weekly          these three, which no single change has to wait for
#   make docs            the documentation as a site, in site/; open site/index.html
#   make mutate          change the package in 120 places and list the changes that no test sees
#   make lint            style, and the types of what a user imports; make format fixes what it can
#   make clean           remove the environments and caches (never data, weights or results)
#
# `make demo TORCH=cpu` installs torch without CUDA, from PyTorch's own index (TORCH=cu126 and so
# on: for another CUDA). `make demo PYTHON=/path/to/python3.12` chooses the interpreter. Both count
# when an environment is made, so after `make clean` if one is there. The network is needed once,
# to install; docs/install.md says how much it takes. uv is used if it is there (UV= for pip).

SUPPORTED := import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for python in python3.12 python3.11 python3.10 python3.13 python3; do \
	$$python -c '$(SUPPORTED)' 2>/dev/null && echo $$python && break; done)

PY := .venv/bin/python

.PHONY: demo demo-seg test lived-in test-openmmlab test-newest test-oldest weekly docs mutate lint \
  format clean

demo: CONFIG := configs/shapes/detr_aug_vit_s.py
demo-seg: CONFIG := configs/shapes/setr_mla_msf_vit_ti.py
demo demo-seg: RESULTS = work_dirs/$@
demo demo-seg: .venv/.installed
	$(PY) -m vitbackbones.data.shapes data/shapes
	$(PY) tools/train.py $(CONFIG) --work-dir $(RESULTS) \
	  $$(ls $(RESULTS)/*.pth >/dev/null 2>&1 && echo --resume)
	$(PY) tools/test.py $(CONFIG) $(RESULTS) --draw $(RESULTS)/pictures
	@echo "Next: open $(RESULTS)/pictures/contact_sheet.png. Then type: . .venv/bin/activate"
	@echo "and: vitbackbones predict $(CONFIG) $(RESULTS) data/shapes/images/val --out out"

test: lint
	$(PY) -m pytest --numprocesses 2 $(ORDER)

lived-in: .venv/.installed
	$(PY) -m vitbackbones.data.shapes data/shapes
	$(PY) -m vitbackbones.data.shapes data/shapes_folders --layout folders --size 64
	$(PY) tools/train.py configs/shapes/detr_aug_vit_s.py --overwrite \
	  --cfg-options train_cfg.max_epochs=1
	XDG_CACHE_HOME=work_dirs/cache $(PY) -m vitbackbones predict detr_aug_vit_s_shapes \
	  docs/images/demo.jpg --out work_dirs/predicted --overwrite

test-openmmlab test-newest test-oldest: test-%: .venv-%/.installed
	.venv-$*/bin/python -m pytest -m compat

weekly: test-openmmlab test-newest test-oldest

docs: .venv/.installed
	$(PY) tools/site/build.py

mutate: .venv/.installed
	$(PY) tests/mutate.py

lint: .venv/.installed
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

format: .venv/.installed
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

clean:
	rm -rf .venv .venv-openmmlab .venv-newest .venv-oldest build *.egg-info \
	  .pytest_cache .ruff_cache .mypy_cache
	find vitbackbones benchmarks tests tools -name __pycache__ -prune -exec rm -rf {} +

# --- environments ---------------------------------------------------------------------------
# .installed is touched last: an interrupted installation is taken up again by the next make.

ONEDL := onedl-mmengine onedl-mmcv onedl-mmdetection onedl-mmsegmentation onedl-mmpretrain imaug

.venv/.installed: PINS := constraints.txt
.venv/.installed: constraints.txt

.venv-openmmlab/.installed: PINS := constraints-openmmlab.txt
.venv-openmmlab/.installed: constraints.txt constraints-openmmlab.txt

.venv-newest/.installed: SUPPORTED := import sys; sys.exit(not (3, 12) <= sys.version_info < (3, 15))
.venv-newest/.installed: PINS := constraints-newest.txt
.venv-newest/.installed: constraints-newest.txt

.venv-oldest/.installed: PINS := constraints-oldest.txt
.venv-oldest/.installed: constraints-oldest.txt

# extras and dependency groups of pyproject.toml
%/.installed: EXTRAS := lean,export,hub,coco,pretrained
%/.installed: WITH := dev
.venv/.installed: EXTRAS := lean,int8,serve,track,answers,hub,coco,heic,pretrained
.venv/.installed: WITH := dev docs examples
%/.installed: TOOLBOXES := $(ONEDL)
.venv/.installed: TOOLBOXES := $(ONEDL) trackers
.venv-openmmlab/.installed: TOOLBOXES := mmengine mmcv-lite mmdet mmsegmentation mmpretrain \
	setuptools

# The index has 2.11.0+cpu beside PyPI's 2.11.0: the constraint allows both, and pip takes the first.
INDEX = $(if $(UV),$(TORCH:%=--torch-backend=%),$(TORCH:%=--extra-index-url \
	https://download.pytorch.org/whl/%))

# uv installs in a third of pip's time; it keeps what it downloads, torch excepted, in its cache.
UV ?= $(shell command -v uv)
INSTALL = $(if $(UV),"$(UV)" pip install --python $*/bin/python,$*/bin/python -m pip install) \
	--constraint $(PINS)

# GB: the most that there is during the installation, rounded up.
NEEDED := $(if $(filter cpu,$(TORCH)),3,9)
TOO_FULL = error: $$free GB are free in $(CURDIR), and installing takes $(NEEDED) GB. Make room$(if \
	$(TORCH),, (without a GPU: make TORCH=cpu $(MAKECMDGOALS), which takes 3 GB)).

# torch comes first and alone: what was downloaded for it, 2.5 GB, is gone before the rest comes.
#
# The toolboxes come without what they ask for, which the extra 'lean' of pyproject.toml lists
# without numba and a second OpenCV. The sources of onedl-mmcv compile its operators if they find torch while
# building. pip builds in an environment of its own, without torch, so what comes out is pure
# Python: no compiler.
%/.installed: pyproject.toml setup.py
	@"$(PYTHON)" -c '$(SUPPORTED)' 2>/dev/null || { echo "error: Python 3.10 to 3.13 with" \
	  "venv is needed (3.12 to 3.14 for test-newest), found: $(or $(PYTHON),none)." \
	  "On Debian: apt-get install python3 python3-venv." \
	  "To name another interpreter: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@free=$$(df -Pk . | awk 'NR == 2 {print int($$4 / 1048576)}'); \
	  test -e $* || test $$free -ge $(NEEDED) || { echo "$(TOO_FULL)" >&2; exit 1; }
	"$(PYTHON)" -m venv $*
	mkdir -p $*/tmp
	$*/bin/python -m pip install --quiet --constraint $(PINS) pip
	@echo "Installing with $(if $(UV),uv (for pip: make UV= $(MAKECMDGOALS)),pip; uv would be faster)."
	TMPDIR="$(CURDIR)/$*/tmp" $(INSTALL) --no-cache-dir $(INDEX) torch torchvision
	$(INSTALL) --editable '.[$(EXTRAS)]' $(WITH:%=--group %)
	$(INSTALL) --build-constraint $(PINS) --no-deps $(TOOLBOXES)
	rm -rf $*/tmp
	$*/bin/python -c 'import cv2, torchvision; assert cv2.version.headless'
	-$*/bin/python -m vitbackbones doctor
	touch $@
