"""How values become HTML: templates, cells, drawings, navigation, static files."""
