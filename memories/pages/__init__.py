"""The HTML door of memories: each view reads input, calls one verb or query, and renders."""
