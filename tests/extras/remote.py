"""The extra `remote`: judgments and a run from another file system."""

import fsspec

import diveval

for name, text in (("qrels.txt", "1 a d 1\n"), ("a.run", "1 Q0 d 1 1.0 t\n")):
    with fsspec.open(f"memory://box/{name}", "w") as stream:
        stream.write(text)
scores = diveval.evaluate("memory://box/qrels.txt", "memory://box/a.run", "StRecall@1")
assert scores.mean() == {"a": {"StRecall@1": 1.0}}
