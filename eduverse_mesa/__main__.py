"""`python -m eduverse_mesa` is the `eduverse` command."""

import sys

from eduverse_mesa.cli import main

sys.exit(main())
