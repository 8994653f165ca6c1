"""Options that the tests of running virtual machines share."""
import signal

import pytest


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="soak: more rounds, larger messages, longer idling")


def pytest_configure():
    """SIGTERM ends the session as SIGINT does: what the tests have started is ended and removed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Tests that take long come first, so that in the end no processor is left alone with one."""
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
