"""From what a reader does to the metrics to report: parameters, evidence on a collection, and reasons."""
