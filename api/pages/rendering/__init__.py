"""Rendering values as HTML: templates, cells, drawings, navigation, static files."""
