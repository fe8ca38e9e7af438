"""The command line `memory-console`. It talks to the API as any other client does, and loads nothing of the server."""
