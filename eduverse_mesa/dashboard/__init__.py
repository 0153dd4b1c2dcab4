"""The dashboard. Everything here needs the extra `app`."""
