# The commands of the book. Each sets up whatever it needs.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help book site lab test soak lock notebooks address bench gpu gpu-wheels pdf offline clean

help:
	@echo "make book       build the site and serve it (BOOK_SERVE=0: build only)"
	@echo "make lab        JupyterLab on the chapters"
	@echo "make test       everything: package, notebooks, site, browser"
	@echo "make pdf        the whole book as one PDF, offered on the front page"
	@echo "make offline    the site as one zip, offered on the front page"
	@echo "make bench      the performance table of this machine (BENCH=--quick: small sizes)"
	@echo "make gpu        check, benchmark and run every notebook on a CUDA device, offline (GPU=...)"
	@echo "make gpu-wheels download what make gpu needs there (GPU_WHEELS=\"--python 3.13\")"
	@echo "make soak       the long runs: the clinic over 50 seeds, the notebooks with other roundings"
	@echo "make notebooks  execute the notebooks and bring them to their committed form"
	@echo "make address    write the repository's address into the cell that serves Colab"
	@echo "make lock       recompile requirements.txt from pyproject.toml"

# The environment is the project's own; it is made again only when what it is made from changes.
$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one with make PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv .venv || \
	  { echo "Python's venv module is needed (Debian: apt-get install python3-venv)"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

site: $(READY)
	$(BIN)/jupyter-book build . --quiet -W -n --keep-going

book: site
	@if [ "$(BOOK_SERVE)" = 0 ]; then echo "The book is in _build/html/index.html"; \
	  else exec $(BIN)/python tools/serve.py; fi

pdf: site
	$(BIN)/python -m tools.pdf

offline: site
	$(BIN)/python -m tools.offline

lab: $(READY)
	$(BIN)/jupyter lab --notebook-dir=notebooks

# One thread a worker: the workers share the cores already.
test: site
	@$(BIN)/python tools/browser.py
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadscope \
	  --nbval --nbval-current-env --nbval-cell-timeout 120

soak: $(READY)
	$(BIN)/python tools/soak.py --seeds 50
	$(BIN)/python -m tools.rounding

bench: $(READY)
	$(BIN)/python -m companion.bench --out _build/bench.json --plot _build/bench.svg $(BENCH)

# The machine with the device may have no network: what it needs comes from the wheels.
gpu:
	@$(PYTHON) -m tools.gpu $(GPU)

gpu-wheels: $(READY)
	$(BIN)/python -m tools.gpu.wheels $(GPU_WHEELS)

notebooks: $(READY)
	$(BIN)/python -m tools.notebooks

address: $(READY)
	$(BIN)/python -m tools.notebooks --address

lock: $(READY)
	$(BIN)/uv pip compile --quiet --custom-compile-command "make lock" pyproject.toml -o requirements.txt

clean:
	rm -rf _build
