"""The components that know of feed-forward networks: `courseware.page.components` says how each is written."""

from pathlib import Path

FOLDER = Path(__file__).parent
