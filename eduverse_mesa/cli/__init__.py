"""The `eduverse` command. Exit codes: 0 done; 1 done, but some answers failed; 2 bad input; 3 trouble with a study
or a sweep's folder; 4 trouble with a policy; 130 interrupted."""

from eduverse_mesa.cli.main import main

__all__ = ["main"]
