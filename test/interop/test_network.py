"""Do several real hosts, with addresses and names of their own, make one virtual machine?"""
import itertools

import pytest
from support.network import NetworkMachine
from support.places import OURS, STOCK


@pytest.mark.parametrize("daemons", [[OURS, STOCK, OURS], [STOCK, OURS, OURS]], ids=["our-master", "stock-master"])
def test_hosts_with_addresses_and_names(daemons):
    with NetworkMachine(daemons, OURS) as vm:
        vm.add()
        assert vm.hosts() == ["node1", "node2", "node3"]
        puppets = vm.puppets()
        for name in vm.names:
            assert vm.network.run(name, "hostname") == f"{name}\n"
        vm.network.impair(reorder=0.2, duplicate=0.2)
        for a, b in itertools.permutations(puppets, 2):
            assert a.do("grow", 5, b.tid, 10000).startswith("0 0")
            assert b.do("recv", -1, 5) == f"{a.tid} 5 40000 1"
        taken, lost, doubled, overtaken = vm.network.counts()
        assert lost == 0 and doubled > 0 and overtaken > 0
        for puppet in puppets:
            puppet.leave()
