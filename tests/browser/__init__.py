"""A package, so that fixtures can have the scope "package"."""
