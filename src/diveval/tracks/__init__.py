"""A shared task in one folder: verdicts on submissions, official scores, a leaderboard, a site, a verifiable record."""
