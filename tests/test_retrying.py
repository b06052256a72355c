"""When to ask again."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from freshness.retrying import retry_after


def test_retry_after_of_any_form_is_read_or_ignored():
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert retry_after("7", now) == 7
    assert retry_after("-7", now) == 0
    assert retry_after("Thu, 01 Jan 2026 00:00:09 GMT", now) == 9
    assert retry_after("Thu, 01 Jan 2026 00:00:09 -0000", now) == 9
    assert retry_after("Wed, 31 Dec 2025 00:00:00 GMT", now) == 0
    assert [
        retry_after(value, now) for value in (None, "", "soon", "nan", "1 Jan 9999999999999 0:0 GMT")
    ] == [None] * 5


@given(st.text(max_size=40))
def test_no_header_of_a_server_raises(value):
    seconds = retry_after(value, datetime(2026, 1, 1, tzinfo=UTC))
    assert seconds is None or seconds >= 0
