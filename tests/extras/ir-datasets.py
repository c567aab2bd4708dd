"""The extra `ir-datasets`: an unknown collection is one clear error."""

from diveval.errors import DivevalError
from diveval.integrations.ir_datasets import judgments

try:
    judgments("no-such-collection")
except DivevalError as error:
    assert "no-such-collection" in str(error)
else:
    raise AssertionError("an unknown collection was read")
