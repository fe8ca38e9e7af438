"""The JSON door to memories: it reads input, calls one verb or query, and renders."""
