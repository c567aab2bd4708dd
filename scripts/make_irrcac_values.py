"""Write Gwet's AC1 of random labels as irrCAC computes it: `python scripts/make_irrcac_values.py > tests/data/judging/ac1.csv`.

irrCAC pins versions that clash with ours, so this runs in an environment of its own that has irrCAC only (0.4.4). Draws are
from the standard library, so that the test that compares repeats them.
"""

from __future__ import annotations

import random

import pandas as pd
from irrCAC.raw import CAC


def draw(seed: int) -> tuple[list[int], list[int]]:
    """Two judges' labels of the same items; some seeds have two labels, some have rare ones."""
    rng = random.Random(seed)
    labels, items = rng.randint(2, 5), rng.randint(5, 80)
    first = [min(rng.randrange(labels), rng.randrange(labels)) for _ in range(items)]
    return first, [label if rng.random() < 0.6 else rng.randrange(labels) for label in first]


def main() -> None:
    """A line for each seed."""
    print("seed,ac1")
    for seed in range(300):
        first, second = draw(seed)
        if len({*first, *second}) > 1:
            value = CAC(pd.DataFrame({"a": first, "b": second}), digits=16).gwet()["est"]["coefficient_value"]
            print(f"{seed},{float(value)!r}")


if __name__ == "__main__":
    main()
