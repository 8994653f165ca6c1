"""Options that the tests of running virtual machines share."""
import pytest


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="soak: more rounds, larger messages, longer idling")


@pytest.fixture(scope="session")
def long_run(request):
    """True when the tests may take as long as they like."""
    return request.config.getoption("--long")
