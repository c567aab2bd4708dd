"""The paper's experiments as short scripts over the public API, for any collection."""

from diveval.experiments.paper_tables import (
    experiment_1,
    experiment_2,
    experiment_3,
    experiment_4,
    metric_set,
    table2,
    table3,
)
from diveval.experiments.reproduction import Reproduction
from diveval.experiments.sources import (
    Collection,
    from_files,
    from_folder,
    synthetic,
    synthetic_dynamic_domain,
)

__all__ = [
    "Collection",
    "Reproduction",
    "experiment_1",
    "experiment_2",
    "experiment_3",
    "experiment_4",
    "from_files",
    "from_folder",
    "metric_set",
    "synthetic",
    "synthetic_dynamic_domain",
    "table2",
    "table3",
]
