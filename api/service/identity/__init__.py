"""By what callers are known: cookies, tokens, an identity provider, and the address that passkeys are bound to."""
