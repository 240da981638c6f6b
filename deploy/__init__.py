"""What a public host needs around the app: small ASGI layers that know nothing of the pages."""
