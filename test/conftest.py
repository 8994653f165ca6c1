"""Options that the tests of running virtual machines share."""
import signal

import pytest
from support.places import PREFIX


def built_with_ucx():
    config = PREFIX.parent / "config.h"
    return config.exists() and "#define HAVE_UCX 1" in config.read_text()


collect_ignore = [] if built_with_ucx() else ["system/test_network.py"]


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="soak: more rounds, larger messages, longer idling")


def pytest_configure():
    """SIGTERM ends the session as SIGINT does: what the tests have started is ended and removed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_collection_modifyitems(config, items):
    """Tests that take long come first, so that in the end no processor is left alone with one."""
    if not config.getoption("--long"):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("long_only")])
        items[:] = [item for item in items if not item.get_closest_marker("long_only")]
    items.sort(key=lambda item: item.get_closest_marker("lasting") is None)


def pytest_terminal_summary(terminalreporter):
    """What tests have counted is printed, whatever options are given."""
    for report in terminalreporter.getreports("passed"):
        for what, value in report.user_properties:
            terminalreporter.write_line(f"{what}: {value}")


@pytest.fixture(scope="session")
def long_run(request):
    """True when the tests may take as long as they like."""
    return request.config.getoption("--long")
