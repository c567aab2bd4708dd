"""Which metrics to report: parameters from how people read, evidence on a collection, and reasons."""
