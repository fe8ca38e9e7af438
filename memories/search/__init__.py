"""Search: `search.search()` is strict, `search.recall()` tolerant; both see only what the actor may see and is live."""
