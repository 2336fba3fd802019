"""Icons of the pages: one line each on a square of 24, in the colour of the surrounding text."""

from __future__ import annotations

from functools import lru_cache

from markupsafe import Markup

PATHS = {
    "home": "M3 11 12 4l9 7v9h-6v-6H9v6H3z",
    "floor": "M3 9h18v3H3zM6 12v7M18 12v7M8 5h8v4H8z",
    "hands": "M5 4h9v14H5zM10 6l8 2-3 12-5-1",
    "replay": "M5 12a7 7 0 1 0 3-6M5 4v5h5",
    "collections": "M4 19V9M10 19V5M16 19v-7M21 19H3",
    "drop": "M5 9h14v11H5zM9 9V5h6v4M9 13h6",
    "trays": "M3 9h18l-2 9H5zM7 9V6M12 9V6M17 9V6",
    "cage": "M4 5h16v15H4zM8 5v15M12 5v15M16 5v15M4 14h16",
    "cash": "M3 7h18v11H3zM12 15a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM6 10v5M18 10v5",
    "days": "M4 6h16v14H4zM4 11h16M8 3v5M16 3v5",
    "reports": "M6 3h9l4 4v14H6zM9 17v-4M12 17v-7M15 17v-2",
    "people": "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 20c0-4 3-6 6-6s6 2 6 6M16 11a3 3 0 1 0-1-5.8M17 14c3 0 4 2 4 6",
    "disputes": "M12 4v16M5 8h14M5 8l-3 6h6zM19 8l-3 6h6zM8 20h8",
    "audit": "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5M8 11l2 2 4-4",
    "rules": "M5 4h11l3 3v13H5zM9 10h6M9 14h6",
    "staff": "M4 6h16v12H4zM8 13a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM13 10h4M13 14h4",
    "settings": "M4 7h16M4 12h16M4 17h16M8 5v4M15 10v4M10 15v4",
    "dealer": "M4 5h16v14H4zM8 9h8M8 13h4",
    "person": "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-5 4-7 8-7s8 2 8 7",
    "sun": "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M5 19l2-2",
    "moon": "M20 14A8 8 0 1 1 10 4a6 6 0 0 0 10 10z",
    "half": "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
}
OTHER = "M6 12h12"


@lru_cache  # every page has a dozen
def icon(name: str) -> Markup:
    return Markup('<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="{}"/></svg>').format(
        PATHS.get(name, OTHER)
    )
