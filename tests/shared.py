"""Where the shared data lies, for tests that use it where it is there."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not here")
