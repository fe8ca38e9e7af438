"""The HTML door of reflection: lists, a new plan, one pass, and what a person decides about it."""
