"""What changed in the world, or in the record of it, between two looks at a source. Pure."""

from freshness.changes.events import Effect, Event, compare, renaming
from freshness.changes.reconcile import Kept, Reconciled, reconcile
from freshness.changes.revisions import SeriesEvent

__all__ = ["Effect", "Event", "Kept", "Reconciled", "SeriesEvent", "compare", "reconcile", "renaming"]
