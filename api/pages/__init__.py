"""The pages: plain HTML rendered on the server, each with its JSON twin, over the same operations as the HTTP
interface."""
