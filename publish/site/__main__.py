"""python -m publish.site builds the course as a static site."""

import sys

from publish.site.build import main

if __name__ == "__main__":
    sys.exit(main())
