"""Password hashes that cost nothing."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class CheapHasher(PBKDF2PasswordHasher):
    """The default hash with one iteration instead of a million."""

    iterations = 1
