# The documentation site, included by the root Makefile.
.PHONY: docs

$(VENV)/documented: $(VENV)/installed locks/docs.txt
	@echo "== installing the documentation dependencies"
	@scripts/install $(BIN)/python docs
	@touch $@

docs: $(VENV)/documented ## build the documentation site into docs/_build/html (warnings are errors)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "Written: docs/_build/html/index.html"
