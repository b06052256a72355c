"""The daemon's face: status pages, JSON API, metrics and health, over HTTP.

It shows what ``app.pages`` reads; ``docs/api.md`` lists the addresses and what protects them.
"""
