"""The hosts and tasks of the virtual machine, as pvmtop sees them."""
import asyncio
import contextlib
import json


class MachineGone(Exception):
    """The virtual machine has ended, or there is none."""


class Machine:
    """A child that looks when it is asked, and sleeps otherwise. It ends with this process, however that ends."""

    def __init__(self, child):
        self._child = child

    @classmethod
    async def enter(cls):
        pipe = asyncio.subprocess.PIPE
        machine = cls(await asyncio.create_subprocess_exec("pvmtop", "--stream", stdin=pipe, stdout=pipe,
                                                           limit=1 << 26))
        await machine.look()
        return machine

    async def look(self):
        """A picture: what `pvmtop --json` prints. One look at a time."""
        with contextlib.suppress(ConnectionError):
            self._child.stdin.write(b"\n")
            await self._child.stdin.drain()
        line = await self._child.stdout.readline()
        if not line:
            await self._child.wait()
            raise MachineGone()
        return json.loads(line)

    async def gone(self):
        """Wait until the virtual machine has ended."""
        await self._child.wait()

    async def leave(self):
        self._child.stdin.close()
        await self._child.wait()
