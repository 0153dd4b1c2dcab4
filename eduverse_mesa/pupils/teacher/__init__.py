"""The teacher's pages: the class, sets of problems, problems of her own, and what becomes of them."""
