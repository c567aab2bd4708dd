"""A package, so that a fixture can last as long as its tests follow each other."""
