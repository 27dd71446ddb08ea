"""Times of messages and facts, where a library keeps none or leaves out the zone."""

from datetime import UTC, datetime

NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)  # of a message whose library has no place for a time


def as_utc(moment: datetime) -> datetime:
    """Return the time with its zone, which is UTC if the library states none."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
