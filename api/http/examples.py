"""An example of each body, by the name of its model; `examples.json` has them, and a test recomputes what it can."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import msgspec

EXAMPLES: dict[str, Any] = msgspec.json.decode((files("api.http.schemas") / "examples.json").read_bytes())
