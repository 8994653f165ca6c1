"""The page's server, on the loopback address alone.

Everything lies below a path that is a secret: who has the address of the page may do with the virtual machine what the
user may. Requests that name another host are refused, so that no page of the web can ask under a name of its own.
"""
import asyncio
import json
import secrets
import signal
import time
from collections import deque
from pathlib import Path

from aiohttp import web

from pvmview.machine import Machine, MachineGone
from pvmview.runs import Runs

LOOPBACK = "127.0.0.1"
SECONDS_BETWEEN_LOOKS = 1
SECONDS_TO_GATHER = 0.1     # changes go to the pages together
CHANGES_KEPT = 20000        # for pages that are opened later
CHANGES_WAITING = 1000      # bundles of changes for a page that does not read; it is given up then
PAGE = Path(__file__).parent / "page"
_HEADERS = {"Content-Security-Policy": "default-src 'self'; base-uri 'none'; frame-ancestors 'none'",
            "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}


class Pages:
    """The pages that are open, each with what it is to be told."""

    def __init__(self):
        self.open = set()
        self.someone = asyncio.Event()
        self._kept = deque(maxlen=CHANGES_KEPT)
        self._gathered = []

    def add(self):
        page = asyncio.Queue(CHANGES_WAITING)
        page.put_nowait({"changes": list(self._kept)})
        self.open.add(page)
        self.someone.set()
        return page

    def remove(self, page):
        self.open.discard(page)
        if not self.open:
            self.someone.clear()

    def tell(self, bundle):
        for page in list(self.open):
            if page.full():
                self.remove(page)
            else:
                page.put_nowait(bundle)

    def change(self, changes):
        self._kept.extend(changes)
        if changes and not self._gathered:
            asyncio.get_running_loop().call_later(SECONDS_TO_GATHER, self._flush)
        self._gathered += changes

    def _flush(self):
        self.tell({"changes": self._gathered})
        self._gathered = []


class Server:
    """One virtual machine, the programs that were run from its pages, and the pages."""

    def __init__(self, machine, d3):
        self.machine = machine
        self.files = {path.name: path for path in PAGE.iterdir()} | {"d3.js": d3}
        self.pages = Pages()
        self.runs = Runs(self.pages.change)
        self.key = secrets.token_urlsafe(24)
        self.hosts = ()             # what requests may call this server

    async def look(self):
        """Look as long as there is a page, and wait for one otherwise. Ends with the virtual machine."""
        try:
            while True:
                await self.pages.someone.wait()
                picture = await self.machine.look()
                own = self.runs.pids()
                picture["time"] = time.time()
                picture["tasks"] = [task for task in picture["tasks"] if task["pid"] not in own]
                self.pages.tell({"machine": picture})
                await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        except MachineGone:
            pass

    @web.middleware
    async def guard(self, request, handler):
        if request.headers.get("Host") not in self.hosts:
            raise web.HTTPForbidden(text="this is no name of this server\n")
        if not secrets.compare_digest(request.match_info.get("key", "").encode(), self.key.encode()):
            raise web.HTTPForbidden(text="the key is missing: use the address that pvmview has printed\n")
        answer = await handler(request)
        if not answer.prepared:
            answer.headers.update(_HEADERS)
        return answer

    async def file(self, request):
        """A file of the page, or the library that draws it."""
        name = request.match_info["name"] or "index.html"
        path = self.files.get(name)
        if not path:
            raise web.HTTPNotFound()
        return web.FileResponse(path)

    async def stream(self, request):
        """What happens, as server-sent events."""
        answer = web.StreamResponse(headers={**_HEADERS, "Content-Type": "text/event-stream"})
        await answer.prepare(request)
        page = self.pages.add()
        try:
            over = False
            while page in self.pages.open and not over:
                bundle = await page.get()
                await answer.write(b"data: " + json.dumps(bundle).encode() + b"\n\n")
                over = "over" in bundle
        except ConnectionError:
            pass
        finally:
            self.pages.remove(page)
        return answer

    async def run(self, request):
        """Run a program: {"words": [PROGRAM, ARGUMENT...]}."""
        try:
            words = (await request.json())["words"]
        except (ValueError, KeyError, TypeError):
            words = None
        if not isinstance(words, list) or not words or not all(isinstance(word, str) and "\0" not in word
                                                               for word in words):
            raise web.HTTPBadRequest(text="a list of words is needed\n")
        await self.runs.start(words)
        return web.Response(status=204)

    async def stop(self, _request):
        await self.runs.stop()
        return web.Response(status=204)

    def application(self):
        application = web.Application(middlewares=[self.guard])
        application.add_routes([
            web.get("/{key}/stream", self.stream), web.post("/{key}/run", self.run),
            web.post("/{key}/stop", self.stop), web.get("/{key}/{name:.*}", self.file)])
        return application


async def serve(port, d3, ready):
    """Serve until the virtual machine ends, or a signal comes. `ready` gets the address of the page. Gives the exit
    status."""
    try:
        machine = await Machine.enter()
    except MachineGone:
        return 1        # pvmtop has said why
    server = Server(machine, d3)
    runner = web.AppRunner(server.application(), access_log=None, handle_signals=False)
    await runner.setup()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    try:
        await web.TCPSite(runner, LOOPBACK, port).start()
        port = runner.addresses[0][1]
        server.hosts = (f"{LOOPBACK}:{port}", f"localhost:{port}")
        ready(f"http://{LOOPBACK}:{port}/{server.key}/")
        ends = [asyncio.ensure_future(what) for what in (machine.gone(), stopped.wait(), server.look())]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()
    finally:
        server.pages.tell({"over": True})
        await server.runs.stop()
        await machine.leave()
        await runner.cleanup()
    return 0
