"""The daemon: which job is due when, who runs it, and what becomes of it.

``schedule`` and ``due`` decide, purely; ``jobs`` reads the jobs off the settings; ``service`` claims what is
due and has ``runner`` run it in a process of its own, whose other end is ``child``. What a job does stands in
``freshness.app``.
"""
