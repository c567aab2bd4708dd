"""The studio's application: addresses, what answers each, and one shape for every error."""

from __future__ import annotations

import json
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from diveval.errors import DivevalError, UsageError, shown
from diveval.studio import fields, page
from diveval.studio.limits import TooMuchError
from diveval.studio.notices import gathered
from diveval.studio.security import App, Guard
from diveval.studio.session import NotFoundError, Studio, Text

Answer = Callable[[Studio, Mapping[str, Any]], Any]

ROUTES: list[tuple[str, str, Answer]] = [
    ("GET", "/api/session", Studio.session),
    ("GET", "/api/metrics", Studio.metrics_shape),
    ("POST", "/api/metric", Studio.metric_shape),
    ("GET", "/api/files", Studio.files),
    ("DELETE", "/api/files/{id:int}", Studio.remove_file),
    ("POST", "/api/collection", Studio.load),
    ("POST", "/api/scores", Studio.scores),
    ("POST", "/api/ranking", Studio.ranking),
    ("POST", "/api/playground", Studio.playground),
    ("GET", "/api/presets", Studio.presets),
    ("POST", "/api/axioms", Studio.axioms),
    ("POST", "/api/jobs", Studio.start_job),
    ("GET", "/api/jobs/{id}", Studio.job),
    ("DELETE", "/api/jobs/{id}", Studio.cancel_job),
]


def make_app(studio: Studio, *, port: int, token: str) -> App:
    """The whole application behind its guard."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            studio.close()

    routes = [Route(path, _endpoint(studio, answer), methods=[method]) for method, path, answer in ROUTES]
    routes += [
        Route("/api/files", _upload(studio), methods=["POST"]),
        Route("/api/openapi.json", _openapi, methods=["GET"]),
        Route("/vega.js", _vega(studio), methods=["GET"]),
        Route("/", _static, methods=["GET"]),
        Route("/{name}", _static, methods=["GET"]),
    ]
    handlers: Any = {
        DivevalError: _said(studio), HTTPException: _http_error, ClientDisconnect: _gone, Exception: _unexpected,
    }  # fmt: skip
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return Guard(app, port=port, token=token, limits=studio.limits)


Endpoint = Callable[[Request], Awaitable[Response]]


def _endpoint(studio: Studio, answer: Answer) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        body = fields.parse_object(await request.body()) if request.method == "POST" else {}
        body |= request.path_params

        def work() -> tuple[Any, list[str]]:
            with gathered() as notes:
                return answer(studio, body), notes

        found, notes = await studio.workers.run(work)
        response = Response(found, media_type="application/json") if isinstance(found, Text) else _json(found)
        if notes:  # beside the answer, whose shape is that of the command line
            response.headers["x-diveval-notes"] = json.dumps([studio.store.plain(note) for note in notes[:20]])
        return response

    return endpoint


def _upload(studio: Studio) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        name = request.query_params.get("name", "")
        if not 0 < len(name) <= 300:
            raise UsageError("name is the file's name, up to 300 characters")
        content = await request.body()
        if not content:
            raise UsageError(f"{shown(name)} is empty")
        known = await studio.workers.run(lambda: studio.store.keep(name, content))
        return _json(known.shape(), 201)

    return endpoint


async def _openapi(request: Request) -> Response:
    return Response(page.openapi(), media_type="application/json")


def _vega(studio: Studio) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        script = await studio.workers.run(page.vega)
        return Response(script, media_type=page.TYPES["js"], headers={"cache-control": "private, max-age=3600"})

    return endpoint


async def _static(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    if name not in page.names():
        raise HTTPException(404, "there is no such page")
    return Response(page.content(name), media_type=page.media_type(name))


def _json(value: Any, status: int = 200) -> Response:
    return JSONResponse(value, status)


def _said(studio: Studio) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handler(request: Request, error: Exception) -> Response:
        status = 413 if isinstance(error, TooMuchError) else 404 if isinstance(error, NotFoundError) else 400
        return _json({"error": studio.store.plain(str(error))}, status)

    return handler


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _json({"error": error.detail}, error.status_code)


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=400)


async def _unexpected(request: Request, error: Exception) -> Response:
    traceback.print_exception(error)  # for whoever started the studio; the visitor learns its kind only
    return _json({"error": f"the studio failed ({type(error).__name__}); please report this"}, 500)
