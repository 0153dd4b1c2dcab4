"""Pages on which students solve mathematics problems with virtual peers, and teachers set them: a plain web server."""
