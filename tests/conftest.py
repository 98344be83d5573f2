"""Options of the whole suite."""


def pytest_addoption(parser):
    group = parser.getgroup("ms2torch")
    group.addoption("--live", action="store_true", help="tests/reference: run the real MindSpore for all")
    group.addoption("--recorded", action="store_true", help="tests/reference: trust the records")
