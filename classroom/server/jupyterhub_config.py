"""What `jupyterhub --config` reads; everything is in classroom.server.settings."""

import os
import signal

from classroom.server import settings

# A shell lets what it starts in the background ignore this signal, and so would all that the hub starts: it asks the
# culler with it to end, and waits for half a minute.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.configure(get_config(), settings.Place.read(os.environ["COURSE_HUB_PLACE"]))  # noqa: F821
