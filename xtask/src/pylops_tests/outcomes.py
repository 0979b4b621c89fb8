"""What became of each test, a line each: for `cargo xtask pylops-tests`.

A test that asks for what is not yet part of arrayspan is `missing`, not `failed`.
"""

import os
import zlib

import numpy as np
import pytest

MISSING = "is not yet part of arrayspan"
# What a file imports that is only skipped where it is not installed.
OPTIONAL = ("No module named 'torch'",)


def _write(outcome, test, why=""):
    with open(os.environ["ARRAYSPAN_OUTCOMES"], "a", encoding="utf-8") as file:
        file.write("\t".join((outcome, test, " ".join(why.split())[:300])) + "\n")


def pytest_configure(config):
    np.random.seed(0)  # what files draw as they are imported


def pytest_runtest_setup(item):
    # Most tests draw vectors without a seed. Once in some thousand draws they are nearly orthogonal to each other, and what
    # is left of their Float32 dots differs by more than the test allows, whoever computes them.
    np.random.seed(zlib.crc32(item.nodeid.rpartition("/")[2].encode()))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    name = item.nodeid.rpartition("/")[2]
    if report.failed:
        why = str(call.excinfo.value) or call.excinfo.typename
        raised = call.excinfo.errisinstance(NotImplementedError)
        outcome = "missing" if raised and MISSING in why else "failed"
        _write(outcome, name, f"{call.excinfo.typename}: {why}")
    elif report.skipped:
        # (file, line, reason), or a string of an expected failure.
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        _write("skipped", name, why)
    elif report.when == "call":
        _write("passed", name)


def pytest_collectreport(report):
    if report.failed:
        why = str(report.longrepr).strip().splitlines()[-1]
        outcome = "missing" if MISSING in why else "skipped" if why.endswith(OPTIONAL) else "failed"
        _write(outcome, report.nodeid.rpartition("/")[2] + "::(import)", why)
    elif report.skipped:
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        _write("skipped", report.nodeid.rpartition("/")[2] + "::(import)", why)
