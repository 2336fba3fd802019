"""The pages: plain HTML rendered here, each with its JSON twin, over the same operations as the HTTP interface."""
