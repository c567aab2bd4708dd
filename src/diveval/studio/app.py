"""The studio's application: routes and their handlers, the page's own files, and one shape for every error."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from diveval.errors import DivevalError, UsageError, capture_warnings
from diveval.studio import fields
from diveval.studio.endpoints import Endpoint, endpoints
from diveval.studio.limits import TooMuchError
from diveval.studio.security import App, Guard, Trust
from diveval.studio.session import GoneError, NotFoundError, Studio
from diveval.studio.work import BrokenError, Job, hide_error
from diveval.views import assets
from diveval.views.walks import pack

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
}


def make_app(studio: Studio, *, port: int, token: str, trust: Trust | None = None) -> App:
    """The whole application behind its guard; `trust` is called for each connection that brought the token."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            studio.close()

    routes = [
        Route(
            one.path,
            _answer_at_once(studio, one) if one.wait is None else _answer_by_job(studio, one, one.wait),
            methods=[one.method],
        )
        for one in endpoints(studio.limits)
    ]
    routes += [Route("/", _static, methods=["GET"]), Route("/{name}", _static, methods=["GET"])]
    handlers: Any = {
        DivevalError: _refuse(studio),
        HTTPException: _http_error,
        ClientDisconnect: _gone,
        Exception: _report_failure,
    }
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    app.router.redirect_slashes = False  # an unknown address is an error, never a redirect
    return Guard(app, port=port, token=token, limits=studio.limits, trust=trust)


class Answer(JSONResponse):
    """JSON, or the one error of `pack` for what JSON cannot hold."""

    def render(self, content: Any) -> bytes:
        return pack(content).encode()


Handler = Callable[[Request], Awaitable[Response]]
STATUS = {TooMuchError: 413, GoneError: 410, NotFoundError: 404, BrokenError: 500}


def _answer_at_once(studio: Studio, endpoint: Endpoint) -> Handler:
    """A handler for requests that need no computation: no job, the answer comes at once."""

    async def handler(request: Request) -> Response:
        content = await request.body()
        body = fields.parse_object(content) if endpoint.request is not None else {}
        address = {**request.query_params, **request.path_params}

        def work() -> tuple[Any, list[str]]:
            with capture_warnings() as notes:
                asked = endpoint.read(body, address) | ({"content": content} if endpoint.takes_bytes else {})
                return endpoint.answer(studio, asked), [str(note) for note in notes]

        answer, notes = await studio.workers.run(work)
        return _add_notes(Answer(answer, endpoint.status), notes)

    return handler


def _answer_by_job(studio: Studio, endpoint: Endpoint, waiting: fields.Field) -> Handler:
    """A handler that runs a job and waits for it: the job has a time limit, and ends when the visitor disconnects."""

    async def handler(request: Request) -> Response:
        body = fields.parse_object(await request.body())
        wait = waiting.read(body.get("wait"), "wait")
        kind = endpoint.path.rpartition("/")[2]
        job = studio.jobs.queue(kind, lambda step: endpoint.answer(studio, endpoint.read(body), step))
        if not await _finished(job, request, wait):
            return Answer(job.shape(), 202)
        studio.jobs.forget(job)
        if job.error is not None:
            raise job.error
        if job.state == "cancelled":
            raise UsageError("request-cancelled", "the request was cancelled")
        ready = isinstance(job.result, bytes)  # JSON already
        response = Response(job.result, media_type="application/json") if ready else Answer(job.result)
        return _add_notes(response, job.notes)

    return handler


def _add_notes(response: Response, notes: list[str]) -> Response:
    """Put warnings into a header: the body keeps the shape that the command line prints."""
    if notes:
        response.headers["x-diveval-notes"] = json.dumps(notes[:20])
    return response


async def _finished(job: Job, request: Request, wait: float) -> bool:
    """Wait for a job's end, at most `wait` seconds; if the visitor disconnects, cancel the job."""
    # The body was read before, so the next message on this channel can only be a disconnect.
    ended = asyncio.ensure_future(asyncio.wrap_future(job.over))
    gone = asyncio.ensure_future(_await_disconnect(request))
    try:
        await asyncio.wait({ended, gone}, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
        if gone.done() and not ended.done():
            job.cancel()
            await asyncio.wait({ended}, timeout=wait)
        return ended.done()
    finally:
        gone.cancel()
        ended.cancel()


async def _await_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _static(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    if name not in page_files():
        raise HTTPException(404, "there is no such page")
    return Response(_content(name), media_type=TYPES[name.rsplit(".", 1)[-1]])


@cache
def page_files() -> frozenset[str]:
    """Every file of the page, the studio's own and those of the views: no other address leads to a file."""
    own = files("diveval").joinpath("studio").joinpath("static").iterdir()
    return assets.names() | frozenset(item.name for item in own if item.is_file())


@cache
def _content(name: str) -> bytes:
    if name in assets.names():
        return assets.text(name).encode()
    return files("diveval").joinpath("studio").joinpath("static").joinpath(name).read_bytes()


def _refuse(studio: Studio) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handler(request: Request, error: Exception) -> Response:
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
        assert isinstance(error, DivevalError)
        return Answer(error.as_json(), status)

    return handler


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return Answer({"error": error.detail, "code": "unknown-resource"}, error.status_code)


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=400)


async def _report_failure(request: Request, error: Exception) -> Response:
    traceback.print_exception(error)  # to the terminal of the studio; the visitor gets the type of the error only
    return Answer(hide_error(error).as_json(), 500)
