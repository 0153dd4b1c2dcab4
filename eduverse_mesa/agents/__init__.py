"""Who is in it: what each person perceives, is asked, and does with the answer."""
