"""EvalAI evaluation: called as evaluate(annotations, submission, phase codename, submission_metadata=…)."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import Any


def evaluate(
    test_annotation_file: str, user_annotation_file: str, phase_codename: str, **kwargs: Any
) -> dict[str, Any]:
    """Means of each split of topics; an exception marks the submission as failed, and EvalAI shows its text."""
    try:
        import diveval
        from diveval.tracks.grading import grade, one_line
    except ImportError as error:  # EvalAI's own workers have Python 3.9 at most
        raise RuntimeError("this challenge is evaluated remotely: diveval needs Python 3.10") from error
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(test_annotation_file) as archive:
            for name in archive.namelist():
                Path(folder, Path(name).name).write_bytes(archive.read(name))
        try:
            means = grade(Path(folder), Path(user_annotation_file))
        except diveval.DivevalError as error:
            raise RuntimeError(one_line(error)) from None
    result = [{split: values} for split, values in means.items()]
    return {"result": result, "submission_metadata": {"diveval": diveval.__version__}, "submission_result": {}}
