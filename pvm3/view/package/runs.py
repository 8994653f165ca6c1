"""Programs that pages have started. pvmtrace runs each of them and tells what its tasks do."""
import asyncio
import contextlib
import json

from pvmview.timeline import Timeline

SECONDS_TO_END = 5


class Runs:
    """`tell` is called with the changes of all runs, as they come (timeline.py)."""

    def __init__(self, tell):
        self._tell = tell
        self._children = {}         # process -> the coroutine that reads from it

    def pids(self):
        return {child.pid for child in self._children}

    async def start(self, words):
        """Run a program. What fails is told as a line of output, as the program itself could."""
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(
            "pvmtrace", "--live", "--", *words, stdin=asyncio.subprocess.DEVNULL, stdout=pipe,
            stderr=asyncio.subprocess.STDOUT, limit=1 << 26)
        self._children[child] = asyncio.ensure_future(self._read(child))

    async def _read(self, child):
        timeline = Timeline()
        try:
            async for line in child.stdout:
                text = line.decode(errors="replace")
                if text.startswith("{"):
                    self._tell(timeline.take(json.loads(text)))
                else:
                    self._tell([{"kind": "output", "tid": None, "text": text.rstrip("\n"), "time": None}])
            await child.wait()
        finally:
            del self._children[child]

    async def stop(self):
        """End the programs with all their tasks. After a second signal pvmtrace does not wait for the tasks."""
        for _ in range(2):
            for child in self._children:
                with contextlib.suppress(ProcessLookupError):
                    child.terminate()
            if self._children:
                await asyncio.wait(list(self._children.values()), timeout=SECONDS_TO_END)
