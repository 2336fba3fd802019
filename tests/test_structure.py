"""Folders, names and repetition: what keeps the tree readable for somebody who has seen only the README."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

LAYERS = ("domain", "infra", "projections", "api")
MOST_MODULES = 16  # of one folder, with its __init__.py
MOST_TERMS = 40
LONGEST_RUN = 6  # lines of logic that two files may not share
PUZZLES = re.compile(r"(^|_)(beside|told|meant|standing)(_|$)")
NOT_LOGIC = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@cache
def modules(root: Path, layer: str) -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted((root / layer).rglob("*.py"))]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_folder_has_at_most_sixteen_modules(layer: str, project_root: Path):
    folders = {path.parent for path, _ in modules(project_root, layer)}
    crowded = {str(folder): count for folder in folders if (count := len(list(folder.glob("*.py")))) > MOST_MODULES}
    assert crowded == {}


@pytest.mark.parametrize("layer", LAYERS[:3])
def test_a_name_means_one_thing_in_a_layer(layer: str, project_root: Path):
    """The packages of games are alike: each has its `play`, its `rules`, its `verdicts`."""
    places = defaultdict(list)
    for path, tree in modules(project_root, layer):
        where = str(path.relative_to(project_root))
        if path.stem != "__init__" and path.parent.parent.name != "games":
            places[path.stem].append(where)
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(where)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


@pytest.mark.parametrize("layer", LAYERS)
def test_no_name_is_a_private_metaphor(layer: str, project_root: Path):
    puzzling = []
    for path, tree in modules(project_root, layer):
        defined = [node.name for node in ast.walk(tree) if isinstance(node, NOT_LOGIC[2:])]
        puzzling += [f"{path}: {name}" for name in (path.stem, *defined) if PUZZLES.search(name.lower())]
    assert puzzling == []


def test_the_glossary_is_short_enough_to_read(project_root: Path):
    text = (project_root / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert len([line for line in text.splitlines() if line.startswith("| ")]) - 1 <= MOST_TERMS  # below the heading


def test_no_two_files_share_a_run_of_logic(project_root: Path):
    runs: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for layer in LAYERS:
        for path, tree in modules(project_root, layer):
            for body in bodies(tree, path.read_text(encoding="utf-8").splitlines()):
                for at in range(len(body) - LONGEST_RUN + 1):
                    runs[tuple(body[at : at + LONGEST_RUN])].add(str(path.relative_to(project_root)))
    assert [(sorted(files), run) for run, files in runs.items() if len(files) > 1] == []


def bodies(tree: ast.Module, lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of each outermost function without its signature and docstrings, and without lone brackets."""
    inside: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.lineno in inside:
            continue
        inside.update(range(node.lineno, (node.end_lineno or 0) + 1))
        texts = {
            number
            for each in ast.walk(node)
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
            for number in range(each.lineno, (each.end_lineno or 0) + 1)
        }
        numbers = range(node.body[0].lineno, (node.end_lineno or 0) + 1)
        found = [lines[number - 1].strip() for number in numbers if number not in texts]
        yield [line for line in found if any(letter.isalnum() for letter in line) and not line.startswith("#")]
