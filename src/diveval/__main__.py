"""`python -m diveval` is `diveval`."""

from diveval.cli import main

raise SystemExit(main())
