"""Documents agree with the tree: links, paths and symbols exist, and decisions are numbered without gaps."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

MARKDOWN_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCED_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"`([^`\n]*)`")
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)
PATH = re.compile(r"(?:domain|infra|projections|api|tests|docs)(?:/[\w.-]+)+/?")
DOTTED = re.compile(r"(?:domain|infra|projections|api|tests)(?:\.\w+){2,}")  # two parts may be a table of a schema
PLACEHOLDER = re.compile(r"\b(?:\w+_)?(?:ID|NAME)\b")  # a name that the reader chooses
DECISION = re.compile(r"\b[Dd]ecision (\d+)\b")
MOST_TERMS = 40


def prose(document: Path) -> str:
    return FENCED_BLOCK.sub("", document.read_text(encoding="utf-8"))


def documents(project_root: Path) -> list[Path]:
    return [*project_root.glob("*.md"), *(project_root / "docs").rglob("*.md")]


def anchors(document: Path) -> set[str]:
    headings = HEADING.findall(prose(document))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@cache
def symbols(module: Path) -> frozenset[str]:
    """Functions, classes, methods and constants of a module; methods as Class.method."""
    found = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Assign):
            found |= {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        if isinstance(node, ast.ClassDef):
            members = (part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef))
            found |= {f"{node.name}.{part.name}" for part in members}
    return frozenset(found)


def is_there(linked: Path, anchor: str) -> bool:
    """Whether a link leads to a file, and to a heading or a symbol in it."""
    if not linked.exists():
        return False
    match linked.suffix:
        case ".md":
            return not anchor or anchor in anchors(linked)
        case ".py":
            return not anchor or anchor in symbols(linked)
        case _:
            return not anchor or anchor in linked.read_text(encoding="utf-8")


def broken_links(document: Path) -> list[str]:
    broken = []
    for target in MARKDOWN_LINK.findall(CODE_SPAN.sub("", prose(document))):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        if not is_there(document.parent / path if path else document, anchor):
            broken.append(f"{document.name}: {target}")
    return broken


def is_in_the_code(project_root: Path, name: str) -> bool:
    """Whether a dotted name is a package, a module, or a symbol in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        place = project_root.joinpath(*parts[:length])
        symbol = ".".join(parts[length:])
        if place.with_suffix(".py").is_file():
            return not symbol or symbol in symbols(place.with_suffix(".py"))
        if place.is_dir():
            return not symbol
    return False


def stale_names(project_root: Path, document: Path) -> list[str]:
    """Paths and dotted names of code that a document mentions and the tree does not have."""
    spans = [re.sub(r"^python -m (\S+).*", r"\1", span) for span in CODE_SPAN.findall(prose(document))]
    paths = [span for span in spans if PATH.fullmatch(span) and not PLACEHOLDER.search(span)]
    names = [span for span in spans if DOTTED.fullmatch(span) and span.rpartition(".")[2] not in {"md", "py"}]
    missing = [path for path in paths if not (project_root / path).exists()]
    return missing + [name for name in names if not is_in_the_code(project_root, name)]


def test_links_of_documents_lead_to_files_headings_and_symbols(project_root: Path):
    assert [link for document in documents(project_root) for link in broken_links(document)] == []


def test_paths_and_names_of_code_in_documents_exist(project_root: Path):
    stale = {str(it.relative_to(project_root)): stale_names(project_root, it) for it in documents(project_root)}
    assert {document: names for document, names in stale.items() if names} == {}


def test_a_broken_link_is_found(tmp_path: Path):
    (tmp_path / "code.py").write_text("class Here:\n    def there(self): ...\n", encoding="utf-8")
    document = tmp_path / "page.md"
    text = (
        "# One heading\n[here](#one-heading) [gone](gone.md) [nowhere](#two) `[code](x.md)`\n"
        "[class](code.py#Here) [method](code.py#Here.there) [no method](code.py#Here.gone)\n"
    )
    document.write_text(text, encoding="utf-8")
    assert broken_links(document) == ["page.md: gone.md", "page.md: #two", "page.md: code.py#Here.gone"]


def test_a_stale_name_is_found(project_root: Path, tmp_path: Path):
    document = tmp_path / "page.md"
    names = ["domain/gone.py", "domain/money.py", "domain.round.decide.decide", "domain.round.decide.gone"]
    document.write_text(" ".join(f"`{name}`" for name in names), encoding="utf-8")
    assert stale_names(project_root, document) == ["domain/gone.py", "domain.round.decide.gone"]


@pytest.fixture(scope="module")
def decisions(project_root: Path) -> list[Path]:
    return sorted((project_root / "docs" / "decisions").glob("[0-9]*.md"))


def test_decisions_are_numbered_without_gaps(decisions: list[Path]):
    assert [int(path.name[:4]) for path in decisions] == list(range(1, len(decisions) + 1))


def test_the_index_has_every_decision_with_its_title_and_status(project_root: Path, decisions: list[Path]):
    index = (project_root / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    for path in decisions:
        head = re.match(r"# \d{4}\. (.*)\n\nStatus: (\w+)", path.read_text(encoding="utf-8"))
        assert head, path.name
        assert f"| [{path.name[:4]}]({path.name}) | {head[1]} | {head[2]}" in index


def test_a_superseded_decision_and_its_successor_link_to_each_other(decisions: list[Path]):
    statuses = {path.name: path.read_text(encoding="utf-8").splitlines()[2] for path in decisions}
    for name, status in statuses.items():
        for linked in MARKDOWN_LINK.findall(status):
            assert f"({name})" in statuses[linked], f"{linked} does not link back to {name}"
        assert "superseded" not in status or MARKDOWN_LINK.search(status)


def test_every_decision_that_code_or_a_document_names_exists(project_root: Path, decisions: list[Path]):
    tracked = subprocess.run(["git", "ls-files"], cwd=project_root, capture_output=True, text=True, check=True)
    paths = [project_root / name for name in tracked.stdout.split() if name.endswith((".py", ".md", ".sql", ".js"))]
    named = {
        int(number): path.name
        for path in paths
        if path.is_file()
        for number in DECISION.findall(path.read_text(encoding="utf-8"))
    }
    assert {number: name for number, name in named.items() if not 1 <= number <= len(decisions)} == {}


def test_the_glossary_is_short_and_in_order(project_root: Path):
    rows = re.findall(r"^\| ([a-z][a-z -]*) \|", prose(project_root / "docs" / "glossary.md"), re.MULTILINE)
    terms = [term for term in rows if term != "term"]
    assert 20 < len(terms) <= MOST_TERMS
    assert terms == sorted(terms)


def test_following_one_bet_visits_no_file_twice(project_root: Path):
    links = MARKDOWN_LINK.findall(prose(project_root / "docs" / "follow-one-bet.md"))
    files = [link.partition("#")[0] for link in links]
    assert len(files) > 15
    assert [file for file in set(files) if files.count(file) > 1] == []


def test_newcomers_have_forty_questions_with_a_place_each(project_root: Path):
    text = prose(project_root / "docs" / "where-is-it.md")
    numbered = re.split(r"^(\d+)\. ", text, flags=re.MULTILINE)[1:]
    questions = dict(zip(numbered[::2], numbered[1::2], strict=True))
    assert list(questions) == [str(number) for number in range(1, 41)]
    assert [number for number, question in questions.items() if not MARKDOWN_LINK.search(question)] == []


def test_the_engine_in_the_readme_prints_what_it_says(project_root: Path):
    text = (project_root / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"^```python\n(.*?)^```\n\n^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert shown
    code, expected = shown.groups()
    assert len(re.findall(r"^(?!import|from|$)", code, re.MULTILINE)) <= 10
    ran = subprocess.run([sys.executable, "-c", code], cwd=project_root, capture_output=True, text=True, check=True)
    assert ran.stdout == expected


def test_pre_commit_runs_the_lines_of_make_check(project_root: Path):
    makefile = (project_root / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe
    checks = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()]
    hooks = (project_root / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"^ +entry: (.*)$", hooks, re.MULTILINE) == checks


def test_the_latest_release_in_the_changelog_is_the_version_of_the_project(project_root: Path):
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    releases = re.findall(r"^## \[(\d[\d.]*)\] - \d{4}-\d{2}-\d{2}$", (project_root / "CHANGELOG.md").read_text(), re.M)
    assert releases[0] == project["version"]


def test_every_make_target_in_the_documents_exists(project_root: Path):
    targets = set(re.findall(r"^([a-z]+):", (project_root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = "".join((project_root / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md"))
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE))
    assert len(named) > 5
    assert named - targets == set()
