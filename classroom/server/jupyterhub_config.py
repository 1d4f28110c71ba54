"""What `jupyterhub --config` reads; everything is in classroom.server.settings."""

import os

from classroom.server import settings

settings.configure(get_config(), settings.Place.read(os.environ["COURSE_HUB_PLACE"]))  # noqa: F821
