"""Authentication outside the ledger: an identity provider, or a passkey."""
