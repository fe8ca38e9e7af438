"""All settings of the Memory Console. Everything that differs between two consoles comes from the environment.

`MEMORY_CONSOLE_MODE` is `local` (default: one machine, plain HTTP on loopback, secrets kept in the data folder) or
`production` (secrets and hosts from the environment, HTTPS only). A setting that is missing or wrong stops the start
with a sentence that says what to do.
"""

from __future__ import annotations

import os
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from console import endpoints, environment
from console.postgres.config import databases

BASE_DIR = Path(__file__).resolve().parent.parent
HOME = Path(environment.text("MEMORY_CONSOLE_HOME") or BASE_DIR / ".local").absolute()
ERASURES_FILE = HOME / "erasures.jsonl"  # the erasure ledger beside the database: see docs/erasure.md
MODE = environment.choice("MEMORY_CONSOLE_MODE", "local", ("local", "production"))
PRODUCTION = MODE == "production"
PORT = environment.number("PORT", 8321, least=1, most=65535)

DEBUG = environment.flag("MEMORY_CONSOLE_DEBUG")
if DEBUG and PRODUCTION:
    raise ImproperlyConfigured("MEMORY_CONSOLE_DEBUG shows internals to visitors. Unset it in production.")
SECRET_KEY = environment.secret_key(HOME, production=PRODUCTION)
CONSOLE_URL = environment.text("CONSOLE_URL").rstrip("/") or f"http://127.0.0.1:{PORT}"
ALLOWED_HOSTS = environment.words("ALLOWED_HOSTS") or ([] if PRODUCTION else ["127.0.0.1", "localhost", "[::1]"])
if PRODUCTION and not ALLOWED_HOSTS:
    raise ImproperlyConfigured(
        "ALLOWED_HOSTS is not set. Name the hosts people open, e.g. ALLOWED_HOSTS=memory.example"
    )
if PRODUCTION and not CONSOLE_URL.startswith("https://"):
    raise ImproperlyConfigured("CONSOLE_URL is not an https:// address. Set it to the address people open.")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "csp",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "console.apps.ConsoleConfig",
    "memories.apps.MemoriesConfig",
    "reflection.apps.ReflectionConfig",
]

MIDDLEWARE = [
    "console.http.request_identity",
    "console.frame.spoken",  # before anything that may refuse in words
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",  # what frame-ancestors says, for old browsers
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "console.http.browser_policy",
    "console.http.body_limits",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "console.http.acting",
    "console.frame.personal",
    "console.verbs.told",
]

ROOT_URLCONF = "console.urls"
APPEND_SLASH = False
CSRF_FAILURE_VIEW = "console.http.csrf_refused"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "console.frame.frame",
            ],
            "builtins": ["console.tags"],
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["django.template.loaders.filesystem.Loader"],
                )
            ]
            if not DEBUG
            else ["django.template.loaders.filesystem.Loader"],
        },
    }
]

DATABASES = databases(os.environ, HOME, secret_key=SECRET_KEY)
# Seconds that a statement may take, and that a transaction may rest between two; 0: no limit. Commands have none.
STATEMENT_SECONDS = {
    "web": environment.number("STATEMENT_SECONDS_WEB", 5, least=0, most=3_600),
    "worker": environment.number("STATEMENT_SECONDS_WORKER", 60, least=0, most=3_600),
}
IDLE_TRANSACTION_SECONDS = {
    "web": environment.number("IDLE_TRANSACTION_SECONDS_WEB", 15, least=0, most=3_600),
    "worker": environment.number("IDLE_TRANSACTION_SECONDS_WORKER", 300, least=0, most=3_600),
}
AUTH_USER_MODEL = "memories.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "login"
RECENT_SIGN_IN_SECONDS = 300

SESSION_COOKIE_NAME = "__Host-session" if PRODUCTION else f"memory_console_session_{PORT}"
CSRF_COOKIE_NAME = "__Host-csrf" if PRODUCTION else f"memory_console_csrf_{PORT}"
SESSION_COOKIE_AGE = 7 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = PRODUCTION
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if environment.flag("BEHIND_PROXY") else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_TRUSTED_ORIGINS = [CONSOLE_URL] if PRODUCTION else []

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("pt-br", "Português (Brasil)"), ("es", "Español"), ("ja", "日本語"), ("ko", "한국어")]
LANGUAGE_COOKIE_NAME = "language"
LOCALE_PATHS = [BASE_DIR / "console" / "locale"]
FORMAT_MODULE_PATH = ["console.dates"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = HOME / "staticfiles"
WHITENOISE_USE_FINDERS = not PRODUCTION
WHITENOISE_AUTOREFRESH = DEBUG
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

BODY_LIMIT_BYTES = 1_000_000
DATA_UPLOAD_MAX_MEMORY_SIZE = BODY_LIMIT_BYTES
UPLOAD_LIMIT_BYTES = 5_000_000  # of the one page that takes files; they stay in memory, so nothing is left on a disk
UPLOAD_PATHS = ("/import",)
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
FILE_UPLOAD_MAX_MEMORY_SIZE = UPLOAD_LIMIT_BYTES
DATA_UPLOAD_MAX_NUMBER_FIELDS = 6_000  # a pass page posts one field per candidate, at most 5,000
URL_LIMIT_CHARS = 8_000

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["console.rest.ActorAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["console.rest.StrictJSONParser"],
    "EXCEPTION_HANDLER": "console.rest.api_refusal",
    "DEFAULT_SCHEMA_CLASS": "console.openapi.schema.Described",
    "UNAUTHENTICATED_USER": None,
    "COERCE_DECIMAL_TO_STRING": True,
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Memory Console",
    "DESCRIPTION": "What agents remember, and what people do with it. Every address below /v1 answers the same below "
    "/api/v1. No address ends in a slash. Every answer carries X-XMemo-Audit-ID and X-Request-ID.",
    "VERSION": "1",
    "PREPROCESSING_HOOKS": ["console.openapi.schema.kept"],
    "POSTPROCESSING_HOOKS": ["console.openapi.schema.completed"],
    "ENABLE_DJANGO_DEPLOY_CHECK": False,  # `make static` validates the document itself
}

# How often somebody may do something, in a span of seconds; 0: as often as they like.
RATE_LIMITS = environment.flag("RATE_LIMITS", True)
RATES = {
    "search": (environment.number("RATE_SEARCHES_PER_MINUTE", 60, least=0, most=1_000_000), 60),
    "plan": (environment.number("RATE_PLANS_PER_HOUR", 10, least=0, most=1_000_000), 3_600),
    "write": (environment.number("RATE_WRITES_PER_MINUTE", 300, least=0, most=1_000_000), 60),
    "erase": (environment.number("RATE_ERASURES_PER_HOUR", 10, least=0, most=1_000_000), 3_600),
    "export": (environment.number("RATE_DOWNLOADS_PER_HOUR", 30, least=0, most=1_000_000), 3_600),
    "code": (10, 60),
}

# The web server and the bridge for agents, POST /mcp.
WEB_THREADS = environment.number("WEB_THREADS", 8, least=1, most=64)
MCP_PROFILE = environment.choice("MCP_PROFILE", "generic", ("generic", "extended"))
MCP_ORIGINS = [origin.rstrip("/") for origin in environment.words("MCP_ORIGINS")]

# Celery: what is due stands in our tables; the broker only wakes the worker.
CELERY_BROKER_URL = environment.text("CELERY_BROKER_URL")
WORKER_THREADS = environment.number("WORKER_THREADS", 2, least=1, most=64)

# Embeddings: a model inside the wheel, or any OpenAI-compatible endpoint.
EMBEDDING_URL = environment.endpoint("EMBEDDING_URL", "EMBEDDING_MODEL", endpoints.EMBEDDINGS)
EMBEDDING_MODEL = environment.text("EMBEDDING_MODEL")
EMBEDDING_API_KEY = environment.text("EMBEDDING_API_KEY")
EMBEDDING_INPUT_TYPE = environment.flag("EMBEDDING_INPUT_TYPE")
SUMMARIZER_URL = environment.endpoint("SUMMARIZER_URL", "SUMMARIZER_MODEL", endpoints.CHAT)
SUMMARIZER_MODEL = environment.text("SUMMARIZER_MODEL")
SUMMARIZER_API_KEY = environment.text("SUMMARIZER_API_KEY")

PLAN_LIFETIME_HOURS = environment.number("PLAN_LIFETIME_HOURS", 24, least=1, most=24 * 30)

# Telling people that passes wait: by e-mail where there is a mail server, and at addresses that admins name.
globals().update(environment.mail())
NOTICES_INSIDE = environment.flag("NOTICES_INSIDE")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.template": {"level": "INFO"},  # below, it writes whole requests
        "httpx": {"level": "WARNING"},
        "mcp": {"level": "WARNING"},
        "uvicorn": {"level": "WARNING"},
    },
}
