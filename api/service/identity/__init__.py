"""Who somebody is, by what is outside of the ledger: an identity provider, or a passkey."""
