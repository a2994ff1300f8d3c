"""Configures pytest for the tests of the package."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cluster: starts worker processes, and takes more than some seconds")
