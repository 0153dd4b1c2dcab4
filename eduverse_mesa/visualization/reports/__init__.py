"""Reports of runs and experiments: as text for a terminal, and as HTML files that need no network."""
