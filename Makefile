# Every command works alone on a machine with Python 3.11 or newer, make and a shell.
#
#   make run      start the app            make lint     check the style and the types
#   make test     check everything         make bench    measure
#                                          make clean    forget all that was set up
#
# PYTHON=python3.12         another Python than `python3`
# TORCH_INDEX=<an index>    one more package index to find torch in (PyTorch's CPU index saves gigabytes on Linux)

PYTHON ?= python3
TORCH_INDEX ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check \
	$(if $(TORCH_INDEX),--extra-index-url "$(TORCH_INDEX)")

# What is set up is marked by a file named after the content of the requirements: new content, new set-up.
RUN_MARK := $(VENV)/ready-to-run-$(shell cksum < requirements.txt | tr -d ' ')
TEST_MARK := $(VENV)/ready-to-test-$(shell cat requirements.txt requirements-dev.txt | cksum | tr -d ' ')

.PHONY: run test lint bench browser clean

run: $(RUN_MARK)
	$(BIN)/streamlit run app.py --server.fileWatcherType=auto --client.showErrorDetails=full

# What needs no browser runs on all cores; of browsers, each with a server of its own, two at most share a machine.
test: lint browser
	$(BIN)/python -m pytest --numprocesses=auto --ignore=tests/browser
	$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=2 tests/browser

lint: $(TEST_MARK)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: browser
	$(BIN)/python -m tests.bench

browser: $(TEST_MARK)
	$(BIN)/python -m tests.browser.chromium

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(RUN_MARK): | $(BIN)/pip
	@echo "Installing what the app needs into $(VENV): once, and it takes a few minutes."
	$(PIP) -r requirements.txt
	@rm -f $(VENV)/ready-to-* && touch $@

$(TEST_MARK): | $(BIN)/pip
	@echo "Installing what the tests need into $(VENV): once, and it takes a few minutes."
	$(PIP) -r requirements-dev.txt
	@rm -f $(VENV)/ready-to-* && touch $@ $(RUN_MARK)

# pip is the last thing that appears in a virtual environment, so a broken-off set-up is done again.
$(BIN)/pip:
	@command -v "$(PYTHON)" >/dev/null || { \
	  echo "There is no $(PYTHON) here: install Python 3.11 or newer, or name yours with PYTHON=python3.12"; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PYTHON) is older than Python 3.11: install a newer one and name it with PYTHON=python3.12"; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "Python's venv module is missing: on Debian and Ubuntu, sudo apt-get install python3-venv"; exit 1; }
	"$(PYTHON)" -m venv $(VENV)
