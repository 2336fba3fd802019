"""What commands share: opening the database, files of documents, errors, progress."""
