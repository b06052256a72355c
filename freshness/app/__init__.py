"""What one can do with freshness, as functions; the only place that knows all the other parts.

``setup`` makes parts from settings; ``probing``, ``judging``, ``dating``, ``asking``, ``facts``, ``past`` and
``upkeep`` are what the commands of the same kind do. Nothing here prints.
"""
