"""Views of tables, their sessions, boxes and meters."""
