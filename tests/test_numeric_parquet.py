import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from numeric_world import AS_OF, chart, walk

from freshness.errors import UsageError
from freshness.suites import numeric

FRANCE = chart(("France", "FRA", 1947, walk(1)))


def charts(count):
    for n in range(count):
        yield chart(
            ("France", "FRA", 1947, walk(n)), ("Chad", "TCD", 1960, [0.0, *walk(n + 1, 50)]), name=f"c{n}"
        )


def test_a_file_holds_every_question_as_they_are_generated(tmp_path):
    written = numeric.write_parquet(charts(3), AS_OF, numeric.Options(), tmp_path / "q.parquet")
    found = pl.read_parquet(tmp_path / "q.parquet")
    assert found.equals(pl.concat(numeric.generate(charts(3), AS_OF, numeric.Options())))
    assert written.questions == len(found)
    assert written.left_out == numeric.left_out(charts(3), AS_OF, numeric.Options())
    assert os.listdir(tmp_path) == ["q.parquet"]


def test_nothing_to_ask_is_a_file_without_rows(tmp_path):
    assert numeric.write_parquet((), AS_OF, numeric.Options(), tmp_path / "q.parquet").questions == 0
    assert pl.read_parquet(tmp_path / "q.parquet").schema == pl.Schema(numeric.SCHEMA)


@pytest.mark.parametrize("name", ["there/is/no/such/folder.parquet", "folder"])
def test_a_path_that_cannot_be_written_is_told(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match=f"can't write .*{Path(name).name}.*; nothing was left there"):
        numeric.write_parquet([FRANCE], AS_OF, numeric.Options(), tmp_path / name)
    assert os.listdir(tmp_path) == ["folder"]


def test_a_pipe_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        with pytest.raises(UsageError, match=f"can't write .*{name}: it is no regular file, name another"):
            numeric.write_parquet([FRANCE], AS_OF, numeric.Options(), tmp_path / name)
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


class Stopped(BaseException):
    pass


@pytest.mark.parametrize("error", [Stopped, KeyboardInterrupt, ValueError])
def test_what_stops_it_leaves_the_old_file_and_no_other(tmp_path, error):
    target = tmp_path / "q.parquet"
    numeric.write_parquet([FRANCE], AS_OF, numeric.Options(), target)
    before = target.read_bytes()

    def broken():
        yield from charts(2)
        raise error

    with pytest.raises(error):
        numeric.write_parquet(broken(), AS_OF, numeric.Options(), target)
    assert target.read_bytes() == before
    assert os.listdir(tmp_path) == ["q.parquet"]


def test_what_a_killed_process_left_is_removed_and_what_another_one_writes_is_not(tmp_path):
    left, other = (tmp_path / f".{name}.0123abcd.tmp" for name in ("q.parquet", "r.parquet"))
    left.write_bytes(b"half")
    other.write_bytes(b"half")
    held = tmp_path / ".q.parquet.4567abcd.tmp"
    with held.open("xb") as writing:
        fcntl.flock(writing, fcntl.LOCK_EX)
        numeric.write_parquet([FRANCE], AS_OF, numeric.Options(), tmp_path / "q.parquet")
    assert sorted(os.listdir(tmp_path)) == [held.name, other.name, "q.parquet"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.parquet").write_bytes(b"old")
    (tmp_path / "q.parquet").symlink_to("real.parquet")
    numeric.write_parquet([FRANCE], AS_OF, numeric.Options(), tmp_path / "q.parquet")
    assert (tmp_path / "q.parquet").is_symlink()
    assert len(pl.read_parquet(tmp_path / "real.parquet"))


SCRIPT = """
import resource, signal, sys
sys.path.insert(0, sys.argv[2])
from test_numeric_parquet import AS_OF, charts, numeric
from freshness.errors import FreshnessError, UsageError
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    numeric.write_parquet(charts(20), AS_OF, numeric.Options(), Path(sys.argv[1]))
except UsageError:
    print("the user's fault")
except FreshnessError as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="files have no limits here")
def test_no_room_for_the_file_is_told_and_leaves_nothing(tmp_path):
    target = str(tmp_path / "q.parquet")
    arguments = [sys.executable, "-c", SCRIPT, target, str(Path(__file__).parent)]
    said = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    assert said == f"can't write {target}: {os.strerror(27)}; nothing was left there\n"
    assert os.listdir(tmp_path) == []
