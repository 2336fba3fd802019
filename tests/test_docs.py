"""A link from one document to another leads somewhere, and every decision is in the index."""

import re
from pathlib import Path

MARKDOWN_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCED_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)


def prose(document: Path) -> str:
    return FENCED_BLOCK.sub("", document.read_text(encoding="utf-8"))


def anchors(document: Path) -> set[str]:
    headings = HEADING.findall(prose(document))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def broken_links(document: Path) -> list[str]:
    broken = []
    for target in MARKDOWN_LINK.findall(CODE_SPAN.sub("", prose(document))):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        linked = document.parent / path if path else document
        if not linked.exists() or (anchor and linked.suffix == ".md" and anchor not in anchors(linked)):
            broken.append(f"{document.name}: {target}")
    return broken


def test_links_between_documents_hold(project_root: Path):
    documents = [*project_root.glob("*.md"), *(project_root / "docs").rglob("*.md")]
    assert documents
    assert [link for document in documents for link in broken_links(document)] == []


def test_a_broken_link_is_found(tmp_path: Path):
    document = tmp_path / "page.md"
    text = "# One heading\n[here](#one-heading) [gone](gone.md) [nowhere](#two) `[code](x.md)`\n"
    document.write_text(text, encoding="utf-8")
    assert broken_links(document) == ["page.md: gone.md", "page.md: #two"]


def test_every_decision_is_in_the_index(project_root: Path):
    decisions = project_root / "docs" / "decisions"
    linked = set(MARKDOWN_LINK.findall(prose(decisions / "README.md")))
    assert {path.name for path in decisions.glob("[0-9]*.md")} <= linked
