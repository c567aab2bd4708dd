"""`python -m diveval.trec_eval` takes trec_eval's own arguments and prints its bytes; here are its measures too.

`diveval.trec_eval.map` stays the metric after this module is imported.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """The measures under trec_eval's name, as `diveval.trec_eval` has them."""
    from diveval.metrics.objects import trec_eval

    return getattr(trec_eval, name)


if __name__ == "__main__":
    from diveval.cli.trec_eval import main

    raise SystemExit(main())
