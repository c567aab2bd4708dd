"""The studio: a local page to explore a collection, its metrics and small rankings; every number comes from the library.

Nothing outside imports this package; `diveval studio` starts it. It needs the extra `studio` (starlette and uvicorn).
"""
