"""The embedded PostgreSQL: shared by several processes, durable, and on its feet again after any kill -9."""

import os
import pwd
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from infra.embedded import EmbeddedPostgresError, data_folder, default_data_dir, embedded_postgres, locks, programs
from infra.embedded.binaries import find_in_wheel
from infra.embedded.server_errors import explained_errors
from infra.embedded.server_user import SERVER_UIDS, open_to_anyone
from infra.embedded.shared_server import SharedServer

ROOT = Path(__file__).resolve().parents[3]
CLIENT = """
import sys
from pathlib import Path
from infra.embedded import embedded_postgres
with embedded_postgres(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.readline()
print("left", flush=True)
"""
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="root only")


class Client:
    """A process of its own that uses the server until it is asked to leave, or killed."""

    def __init__(self, data_dir: Path, script: str = CLIENT) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script), str(data_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        )
        self.pid = self._process.pid

    def hears(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def hears_to_the_end(self) -> list[str]:
        return list(iter(self.hears, ""))

    def leave(self) -> None:
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        assert self.hears() == "left"
        assert self._process.wait() == 0

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            with suppress(BrokenPipeError):
                pipe.close()


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "data"
    yield folder
    if folder.exists():
        end_all_in(folder)


@pytest.fixture
def client(data_dir: Path) -> Iterator[Callable[..., Client]]:
    clients: list[Client] = []

    def start(script: str = CLIENT) -> Client:
        clients.append(Client(data_dir, script))
        return clients[-1]

    yield start
    for each in clients:
        each.close()


def query(url: str, sql: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(sql.encode()).fetchone()
        assert row is not None
        return row[0]


def execute(url: str, sql: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(sql.encode())


def postmaster(data_dir: Path) -> int:
    return int((data_dir / "pgdata/postmaster.pid").read_text().split()[0])


def is_running(data_dir: Path) -> bool:
    return not locks.is_free(data_dir / "server.lock")


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "this never came to be"
        time.sleep(0.02)


def watchdogs_of(data_dir: Path) -> list[int]:
    def watches(process: Path) -> bool:
        command = (process / "cmdline").read_bytes()
        return b"import watch\n" in command and os.fsencode(data_dir.resolve()) in command.split(b"\0")

    return processes_that(watches)


def postgres_of(data_dir: Path) -> list[int]:
    return processes_that(lambda process: (process / "cwd").resolve() == data_dir.resolve() / "pgdata")


def processes_that(apply: Callable[[Path], bool]) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            if apply(process):
                found.append(int(process.name))
    return found


def end_all_in(data_dir: Path) -> None:
    """Kill -9 of everything at once, as a power cut would."""

    def end() -> bool:
        alive = watchdogs_of(data_dir) + postgres_of(data_dir)
        for pid in alive:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not alive

    eventually(end)


# -- one user -------------------------------------------------------------------------------------------------


def test_serves_inside_the_block_and_is_gone_after_it(data_dir):
    with embedded_postgres(data_dir) as url:
        assert query(url, "SELECT 1") == 1
    assert not is_running(data_dir)
    assert not (data_dir / "pgdata/postmaster.pid").exists()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)


def test_stops_when_the_block_fails(data_dir):
    with pytest.raises(ZeroDivisionError), embedded_postgres(data_dir):
        _ = 1 / 0
    assert not is_running(data_dir)


def test_data_is_there_after_a_restart(data_dir):
    with embedded_postgres(data_dir) as url:
        execute(url, "CREATE TABLE kept AS SELECT 7 AS n")
    with embedded_postgres(data_dir) as url:
        assert query(url, "SELECT n FROM kept") == 7


def test_what_makes_commits_durable_is_on(data_dir):
    with embedded_postgres(data_dir) as url:
        for setting in ("fsync", "full_page_writes", "synchronous_commit", "data_checksums"):
            assert query(url, f"SHOW {setting}") == "on"
        assert query(url, "SHOW server_encoding") == "UTF8"
        assert query(url, "SELECT datcollate FROM pg_database WHERE datname = current_database()") == "C"
        assert query(url, "SHOW timezone") == "UTC"


def test_only_the_owner_can_reach_the_socket(data_dir):
    with embedded_postgres(data_dir) as url:
        folder = Path(str(conninfo_to_dict(url)["host"]))
        for path in (data_dir / "pgdata", folder, folder / ".s.PGSQL.5432"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o700


@needs_proc
def test_listens_on_no_network_address(data_dir):
    with embedded_postgres(data_dir) as url:
        assert query(url, "SHOW listen_addresses") == ""
        opened = {os.readlink(entry) for entry in Path(f"/proc/{postmaster(data_dir)}/fd").iterdir()}
        network = [line.split() for name in ("tcp", "tcp6", "udp", "udp6") for line in network_sockets(name)]
        assert any(name.startswith("socket:") for name in opened)
        assert not opened & {f"socket:[{fields[9]}]" for fields in network}


def network_sockets(name: str) -> list[str]:
    table = Path("/proc/net", name)
    return table.read_text().splitlines()[1:] if table.exists() else []


def test_a_path_too_long_for_a_socket(tmp_path):
    data_dir = tmp_path / ("long" * 20) / ("longer" * 10)
    for _ in range(2):
        with embedded_postgres(data_dir) as url:
            assert query(url, "SELECT 1") == 1
            folder = Path((data_dir / "socket_folder").read_text())
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert not folder.exists()


@needs_proc
def test_a_long_path_after_kill_9_keeps_its_socket_folder(tmp_path):
    data_dir = tmp_path / ("long" * 20) / ("longer" * 10)
    with embedded_postgres(data_dir) as url:
        end_all_in(data_dir)
        with embedded_postgres(data_dir) as again:
            assert again == url
            assert query(url, "SELECT 1") == 1


# -- several users --------------------------------------------------------------------------------------------


def test_processes_share_one_server_and_the_last_one_stops_it(data_dir, client):
    first = client()
    url = first.hears()
    second, third = client(), client()
    assert (second.hears(), third.hears()) == (url, url)
    pid = postmaster(data_dir)
    for leaving in (first, third):
        leaving.leave()
        assert query(url, "SELECT 1") == 1
        assert postmaster(data_dir) == pid
    second.leave()
    assert not is_running(data_dir)


def test_four_processes_start_it_at_once(data_dir, client):
    clients = [client() for _ in range(4)]
    urls = {each.hears() for each in clients}
    assert len(urls) == 1
    assert query(urls.pop(), "SELECT 1") == 1
    assert not list(data_dir.glob("pgdata.new-*"))
    with ThreadPoolExecutor() as pool:
        list(pool.map(Client.leave, clients))
    assert not is_running(data_dir)


def test_users_who_come_and_go_at_random_never_meet_a_stopped_server(data_dir):
    def come_and_go(seed: int) -> None:
        pauses = random.Random(seed)
        for _ in range(8):
            with embedded_postgres(data_dir) as url:
                assert query(url, "SELECT 1") == 1
                time.sleep(pauses.random() / 50)
            time.sleep(pauses.random() / 50)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(come_and_go, range(4)))
    assert not is_running(data_dir)


def test_two_blocks_in_one_process(data_dir):
    with embedded_postgres(data_dir) as url:
        with embedded_postgres(data_dir) as same:
            assert same == url
        assert query(url, "SELECT 1") == 1
    assert not is_running(data_dir)


def test_a_forked_child_is_a_user_for_as_long_as_it_lives(data_dir, client):
    parent = client(
        """
        import os, sys
        from pathlib import Path
        from infra.embedded import embedded_postgres
        with embedded_postgres(Path(sys.argv[1])) as url:
            if os.fork() == 0:
                sys.stdin.readline()
                os._exit(0)
        print(url, flush=True)
        os._exit(0)
        """
    )
    url = parent.hears()
    assert query(url, "SELECT 1") == 1
    parent.close()
    eventually(lambda: not is_running(data_dir))


# -- kill -9 --------------------------------------------------------------------------------------------------


def test_kill_9_of_one_user_leaves_the_others_their_server(data_dir, client):
    killed, other = client(), client()
    url = killed.hears()
    other.hears()
    killed.kill()
    assert query(url, "SELECT 1") == 1
    other.leave()
    assert not is_running(data_dir)


def test_kill_9_of_the_only_user_stops_the_server_by_itself(data_dir, client):
    user = client()
    user.hears()
    user.kill()
    eventually(lambda: not is_running(data_dir))
    assert "database system is shut down" in (data_dir / "server.log").read_text()


def test_kill_9_of_the_server_then_the_next_start(data_dir):
    with embedded_postgres(data_dir) as url:
        execute(url, "CREATE TABLE kept AS SELECT 7 AS n")
        os.kill(postmaster(data_dir), signal.SIGKILL)
        with embedded_postgres(data_dir) as again:
            assert again == url
            assert query(url, "SELECT n FROM kept") == 7
    assert not is_running(data_dir)


def test_kill_9_of_the_server_and_it_comes_back_to_its_users(data_dir):
    def answers() -> bool:
        with suppress(psycopg.OperationalError):
            return query(url, "SELECT n FROM kept") == 7
        return False

    with embedded_postgres(data_dir) as url:
        execute(url, "CREATE TABLE kept AS SELECT 7 AS n")
        killed = postmaster(data_dir)
        os.kill(killed, signal.SIGKILL)
        eventually(answers)
        assert postmaster(data_dir) != killed


def test_a_newcomer_waits_while_the_server_recovers_from_the_kill_of_a_part_of_it(data_dir):
    with embedded_postgres(data_dir) as url:
        execute(url, "CREATE TABLE kept AS SELECT 7 AS n")
        os.kill(checkpointer(url), signal.SIGKILL)
        eventually(lambda: "reinitializing" in (data_dir / "server.log").read_text())
        with embedded_postgres(data_dir) as same:
            assert query(same, "SELECT n FROM kept") == 7


def test_it_stops_while_it_recovers_from_the_kill_of_a_part_of_it(data_dir):
    with embedded_postgres(data_dir) as url:
        os.kill(checkpointer(url), signal.SIGKILL)
    assert not is_running(data_dir)


def checkpointer(url: str) -> int:
    pid = query(url, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
    assert isinstance(pid, int)
    return pid


@needs_proc
def test_kill_9_of_everything_then_the_next_start(data_dir, client):
    user = client()
    execute(user.hears(), "CREATE TABLE kept AS SELECT 7 AS n")
    user.kill()
    end_all_in(data_dir)
    assert (data_dir / "pgdata/postmaster.pid").exists()
    with embedded_postgres(data_dir) as url:
        assert query(url, "SELECT n FROM kept") == 7
    assert not is_running(data_dir)


@needs_proc
def test_an_orphaned_server_is_adopted_and_stopped_by_its_last_user(data_dir, client):
    user = client()
    user.hears()
    pid = postmaster(data_dir)
    for watchdog in watchdogs_of(data_dir):
        os.kill(watchdog, signal.SIGKILL)
    user.kill()
    assert is_running(data_dir)
    with embedded_postgres(data_dir):
        assert postmaster(data_dir) == pid
    assert not is_running(data_dir)


@needs_proc
def test_a_busy_backend_that_lost_its_server_does_not_block_the_next_start(data_dir):
    with embedded_postgres(data_dir) as url, psycopg.connect(url) as busy:
        backend = busy.info.backend_pid
        with ThreadPoolExecutor() as pool:
            working = pool.submit(busy.execute, "SELECT count(*) FROM generate_series(1, 100000000000)")
            eventually(lambda: query(url, f"SELECT state FROM pg_stat_activity WHERE pid = {backend}") == "active")
            os.kill(postmaster(data_dir), signal.SIGKILL)
            with embedded_postgres(data_dir) as again:
                assert query(again, "SELECT 1") == 1
            assert isinstance(working.exception(), psycopg.OperationalError)


@needs_proc
def test_a_pid_file_that_names_some_other_process(data_dir):
    with embedded_postgres(data_dir):
        old = (data_dir / "pgdata/postmaster.pid").read_text().splitlines()
    owner = (data_dir / "pgdata").stat().st_uid
    with subprocess.Popen(["sleep", "600"], user=owner) as other:
        for name in ("postmaster.pid", "pg_stat_tmp/.s.PGSQL.5432.lock"):
            (data_dir / "pgdata" / name).write_text("\n".join([str(other.pid), *old[1:]]))
        with embedded_postgres(data_dir) as url:
            assert query(url, "SELECT 1") == 1
        other.kill()


def test_what_an_interrupted_first_start_left_is_cleared(data_dir):
    leftover = data_dir / "pgdata.new-interrupted"
    (leftover / "base").mkdir(parents=True)
    (leftover / "PG_VERSION").write_text("18\n")
    with embedded_postgres(data_dir) as url:
        assert query(url, "SELECT 1") == 1
    assert not leftover.exists()


def test_kill_9_in_the_middle_of_the_first_start(data_dir, client):
    user = client()
    eventually(lambda: bool([*data_dir.glob("pgdata.new-*/base"), *data_dir.glob("pgdata")]))  # or we looked too late
    user.kill()
    with embedded_postgres(data_dir) as url:
        assert query(url, "SELECT 1") == 1
    assert not list(data_dir.glob("pgdata.new-*"))


@needs_proc
def test_every_acknowledged_commit_outlives_kill_9_at_random_moments(data_dir, client):
    writer = """
        import sys
        from pathlib import Path
        import psycopg
        from infra.embedded import embedded_postgres
        with embedded_postgres(Path(sys.argv[1])) as url, psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS written (n bigint GENERATED ALWAYS AS IDENTITY)")
            while True:
                print(connection.execute("INSERT INTO written DEFAULT VALUES RETURNING n").fetchone()[0], flush=True)
        """
    moments = random.Random(1)
    acknowledged: set[int] = set()
    for _ in range(8):
        user = client(writer)
        acknowledged.add(int(user.hears()))
        with ThreadPoolExecutor() as pool:
            rest = pool.submit(user.hears_to_the_end)
            time.sleep(moments.random() / 5)
            end_all_in(data_dir)
            user.kill()
            acknowledged.update(int(line) for line in rest.result() if line.isdigit())
    with embedded_postgres(data_dir) as url, psycopg.connect(url) as connection:
        stored = {n for (n,) in connection.execute("SELECT n FROM written")}
    assert acknowledged <= stored


# -- refusals say what to do ----------------------------------------------------------------------------------


def test_data_of_another_major_version_is_refused(data_dir):
    with embedded_postgres(data_dir):
        pass
    for version, do in (("17", "Run `roundledger upgrade"), ("19", "Use the release that wrote it")):
        (data_dir / "pgdata/PG_VERSION").write_text(f"{version}\n")
        with pytest.raises(EmbeddedPostgresError, match=f"PostgreSQL {version}, and this release brings 18. {do}"):
            embedded_postgres(data_dir).__enter__()


def test_a_folder_that_is_no_database_is_refused_and_left_alone(data_dir):
    (data_dir / "pgdata").mkdir(parents=True)
    (data_dir / "pgdata/notes.txt").write_text("mine")
    with pytest.raises(EmbeddedPostgresError, match="no PostgreSQL database"):
        embedded_postgres(data_dir).__enter__()
    assert (data_dir / "pgdata/notes.txt").read_text() == "mine"


def test_a_server_that_does_not_start_says_why(data_dir):
    with embedded_postgres(data_dir):
        pass
    settings = data_dir / "pgdata/postgresql.conf"
    sound = settings.read_text()
    settings.write_text(sound + "\nshared_buffers = lots\n")
    with pytest.raises(EmbeddedPostgresError, match=r"did not start: .*FATAL.*More in .*server\.log"):
        embedded_postgres(data_dir).__enter__()
    assert not is_running(data_dir)
    settings.write_text(sound)
    with embedded_postgres(data_dir) as url:
        assert query(url, "SELECT 1") == 1


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EmbeddedPostgresError, match="ROUNDLEDGER_DATA_DIR"):
        embedded_postgres(tmp_path / "file/data").__enter__()


def test_a_database_that_is_open_to_others_is_refused(data_dir):
    with embedded_postgres(data_dir):
        pass
    for mode, said in ((0o755, "open to other users"), (0o500, "closed to its own owner")):
        (data_dir / "pgdata").chmod(mode)
        with pytest.raises(EmbeddedPostgresError, match=rf"{said} \(mode {mode:04o}\).*`chmod 0700 "):
            embedded_postgres(data_dir).__enter__()
    (data_dir / "pgdata").chmod(0o750)  # as backup programs have it
    with embedded_postgres(data_dir) as url:
        assert query(url, "SELECT 1") == 1


@needs_root
def test_a_database_of_another_user_in_ones_own_folder_is_refused(tmp_path):
    tmp_path.chmod(0o700)
    os.chown(tmp_path, 12345, 12345)
    with pytest.raises(EmbeddedPostgresError, match=r"belongs to user id 12345, .* as user id 0\. .*`chown -R 0 "):
        data_folder.check_access(tmp_path, 0)


@needs_root
def test_a_database_of_two_owners_is_refused(tmp_path):
    """As after a `chown` that was not recursive."""
    tmp_path.chmod(0o700)
    (tmp_path / "base").mkdir()
    data_folder.check_access(tmp_path, 0)
    os.chown(tmp_path / "base", 12345, 12345)
    with pytest.raises(EmbeddedPostgresError, match=r"base belongs to user id 12345, .* to user id 0\. .*`chown -R 0 "):
        data_folder.check_access(tmp_path, 0)


def test_files_that_may_not_be_read_explain_themselves(tmp_path):
    said = r"user id .*, which may not read or write there.*`chown -R`"
    with pytest.raises(EmbeddedPostgresError, match=said), explained_errors(tmp_path):
        raise PermissionError(13, "Permission denied", str(tmp_path / "pgdata"))


@needs_root
def test_the_folder_of_another_user_is_refused(data_dir):
    data_dir.mkdir()
    os.chown(data_dir, 12345, 12345)
    with pytest.raises(EmbeddedPostgresError, match="belongs to user id 12345"):
        embedded_postgres(data_dir).__enter__()
    assert not list(data_dir.iterdir())


# -- root and normal users ------------------------------------------------------------------------------------


@needs_root
@needs_proc
def test_for_root_it_runs_as_a_user_of_its_own_behind_closed_folders(data_dir):
    data_dir.parent.chmod(0o700)
    accounts = Path("/etc/passwd").read_text()
    with embedded_postgres(data_dir) as url:
        process = Path(f"/proc/{postmaster(data_dir)}/status").read_text()
        uids, groups = (line.split()[1:] for line in process.splitlines() if line.startswith(("Uid:", "Groups:")))
        assert set(uids) == {str((data_dir / "pgdata").stat().st_uid)}
        assert int(uids[0]) in SERVER_UIDS
        assert groups == []
        execute(url, "CREATE TABLE kept AS SELECT 7 AS n")
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (data_dir.parent, data_dir)] == [0o700, 0o700]
    assert Path("/etc/passwd").read_text() == accounts


@needs_root
def test_for_root_a_database_restored_without_owners_is_taken_back(data_dir):
    with embedded_postgres(data_dir) as url:
        execute(url, "CREATE TABLE kept AS SELECT 7 AS n")
    for folder, _, files in os.walk(data_dir / "pgdata"):
        for name in (".", *files):
            os.chown(Path(folder, name), 0, 0)
    with embedded_postgres(data_dir) as url:
        assert query(url, "SELECT n FROM kept") == 7


@needs_root
def test_for_root_binaries_in_a_closed_folder_are_copied_to_an_open_one(data_dir, tmp_path):
    with closed_copy_of_the_wheel(tmp_path) as wheel:
        server = SharedServer(data_dir, wheel)
        user = server.enter()
        try:
            assert query(server.url(), "SELECT 1") == 1
        finally:
            server.leave(user)


@contextmanager
def closed_copy_of_the_wheel(folder: Path) -> Iterator[Path]:
    site = folder / "closed"
    original = find_in_wheel()
    package = original.parent
    shutil.copytree(original, site / package.name / original.name, ignore=shutil.ignore_patterns("include", "*.a"))
    with suppress(FileNotFoundError):
        shutil.copytree(package.parent / f"{package.name}.libs", site / f"{package.name}.libs")
    wheel = site / package.name / original.name
    os.utime(wheel / "bin/postgres")  # so that the copy is one for this test alone
    site.chmod(0o700)
    try:
        yield wheel
    finally:
        mark = f"{(wheel / 'bin/postgres').stat().st_mtime_ns:x}"
        for copy in [*Path("/var/cache").glob(f"roundledger-*{mark}"), *Path("/tmp").glob(f"roundledger-*{mark}")]:
            shutil.rmtree(copy)


@needs_root
def test_as_a_normal_user(client):
    """The interpreter may be where only root can read, so the process changes user once all is imported."""
    if not open_to_anyone(find_in_wheel() / "bin/postgres"):
        pytest.skip("the wheel is installed where a normal user cannot read it")
    nobody = pwd.getpwnam("nobody").pw_uid
    home = Path(tempfile.mkdtemp())
    os.chown(home, nobody, nobody)
    user = Client(
        home / "data",
        f"""
        import os, sys
        from pathlib import Path
        import psycopg
        from infra.embedded import embedded_postgres
        psycopg.conninfo.make_conninfo()
        os.setgroups([]); os.setgid({nobody}); os.setuid({nobody})
        for _ in range(2):
            with embedded_postgres(Path(sys.argv[1])) as url, psycopg.connect(url) as connection:
                print(connection.execute("SELECT current_setting('fsync')").fetchone()[0], flush=True)
        print("stopped" if not Path(sys.argv[1], "pgdata/postmaster.pid").exists() else "running", flush=True)
        """,
    )
    try:
        assert [user.hears() for _ in range(3)] == ["on", "on", "stopped"]
        assert (home / "data/pgdata").stat().st_uid == nobody
    finally:
        user.close()
        end_all_in(home / "data")
        shutil.rmtree(home)


# -- where, and the log ---------------------------------------------------------------------------------------


def test_the_default_data_dir(monkeypatch):
    monkeypatch.setenv("ROUNDLEDGER_DATA_DIR", "/srv/ledger")
    assert default_data_dir() == Path("/srv/ledger")
    monkeypatch.delenv("ROUNDLEDGER_DATA_DIR")
    monkeypatch.setenv("XDG_DATA_HOME", "/data/home")
    assert default_data_dir() == Path("/data/home/roundledger")
    monkeypatch.setenv("XDG_DATA_HOME", "relative/does/not/count")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert default_data_dir() == Path("/home/somebody/.local/share/roundledger")


def test_the_log_keeps_its_end_when_it_grows_long(tmp_path):
    log = tmp_path / "server.log"
    with log.open("a") as writer:
        writer.write("x" * (programs.LOG_LIMIT_BYTES + 1) + "the end\n")
        writer.flush()
        programs.trim_log(log)
        writer.write("and after\n")
    assert log.stat().st_size == programs.LOG_KEPT_BYTES + len("and after\n")
    assert log.read_text().endswith("xthe end\nand after\n")
