"""What a teacher sees: the class, sets of problems, problems of her own, and what becomes of them."""
