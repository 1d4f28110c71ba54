"""The browser and the server of tests/browser, for the benchmark that needs them."""

from tests.browser.conftest import browser_type_launch_args, open_lesson, requests, server

__all__ = ["browser_type_launch_args", "open_lesson", "requests", "server"]
