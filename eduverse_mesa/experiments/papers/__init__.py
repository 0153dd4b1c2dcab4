"""The experiments of the three papers: EduVerse, MathVC and SimLearner."""
