"""What commands share: the database they open, files of documents, errors, progress."""
