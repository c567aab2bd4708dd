# The proofs in Coq, included by the root Makefile.
.PHONY: proofs

proofs: ## compile the Coq proofs, check them with coqchk and print the axioms each theorem uses (installs Coq if missing)
	@PYTHON="$(PYTHON)" proofs/check
