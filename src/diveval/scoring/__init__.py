"""From judgments and rankings to scores: blocks of topics, the scorer, files, shards."""
