"""Rule sets described: as a page for people, as plain values for programs, and by what two of them differ in."""
