# The proofs in Coq, included by the root Makefile.
.PHONY: proofs

proofs: ## install Coq where missing, compile proofs/, check it with coqchk, print what every theorem assumes
	@PYTHON="$(PYTHON)" proofs/check
