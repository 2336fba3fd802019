"""Events to rows and back: topics, their numbers, and the bytes."""
