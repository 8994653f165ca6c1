"""Hosts of a network that have processors of their own, as real hosts do."""
import contextlib
import os

from support.network import NetworkMachine


@contextlib.contextmanager
def on_processors(processors):
    """What is started within has these."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class ApartMachine(NetworkMachine):
    """A virtual machine of one system. All that runs on a host has the processors that are given for it."""

    def __init__(self, system, processors, variables=None):
        """processors: a list for each host, the master first."""
        super().__init__([system] * len(processors), system, variables)
        self.processors = {f"node{number}": its for number, its in enumerate(processors, 1)}

    def boot(self):
        with on_processors(self.processors["node1"]):
            return super().boot()

    def add(self, *hosts):
        super().add(*hosts)
        for host in hosts or self.others:
            os.sched_setaffinity(self.host_pvmd(host), self.processors[host])

    def start(self, program, *arguments, host=None, **options):
        with on_processors(self.processors[host or self.master]):
            return super().start(program, *arguments, host=host, **options)
