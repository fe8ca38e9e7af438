"""`python -m console.cli`."""

import sys

if __name__ == "__main__":
    try:
        from console.cli.main import main

        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
