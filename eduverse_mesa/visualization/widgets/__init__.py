"""Drawings with their own JavaScript, the same in a page and in a notebook. They need the extra `app` or `notebook`."""
