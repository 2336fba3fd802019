"""The commands in the guides exist: those in shell blocks parse, and those in prose name ours and their options."""

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from api.cli.main import app

GUIDES = ("operations.md", "deployment.md", "staff.md", "commands.md")
SHELL_BLOCK = re.compile(r"^ *```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"`(roundledger [^`\n]*)`")
NAME = re.compile(r"[a-z][a-z-]*")
OPTION = re.compile(r"--[a-z][a-z-]*")
END_OF_COMMAND = frozenset({"|", "||", "&&", ";", ">", ">>", "<", "&"})


def commands_in(text: str) -> Iterator[list[str]]:
    """The words after `roundledger` of each command in the shell blocks; comments, pipes and files are left out."""
    for block in SHELL_BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            words: list[str] = []
            for word in [*shlex.split(line, comments=True), ";"]:
                if word not in END_OF_COMMAND:
                    words.append(word)
                    continue
                if words[:1] == ["roundledger"]:
                    yield words[1:]
                words = []


@cache
def command_line() -> Any:
    """The whole command line, which is parsed and then does nothing."""
    commands = [root := typer.main.get_command(app)]
    for command in commands:
        command.callback = None
        commands += getattr(command, "commands", {}).values()
    return root


def mistake(words: list[str]) -> str | None:
    """What the program says against a command line, or None."""
    said = StringIO()
    with redirect_stderr(said), redirect_stdout(StringIO()), pytest.raises(SystemExit) as ended:
        command_line()(words, prog_name="roundledger")
    return None if ended.value.code == 0 else said.getvalue()


def unknown_in(span: str) -> list[str]:
    """Names of commands and options in a code span that there are not; placeholders may follow a command."""
    command = command_line()
    words = span.split()[1:]
    while isinstance(command, TyperGroup) and words and NAME.fullmatch(words[0]):
        if words[0] not in command.commands:
            return [words[0]]
        command = command.commands[words.pop(0)]
    known = {"--help"} | {option for parameter in command.params for option in parameter.opts}
    return [option for option in OPTION.findall(" ".join(words)) if option not in known]


@pytest.mark.parametrize("guide", GUIDES)
def test_the_commands_of_a_guide_parse(project_root: Path, guide: str):
    text = (project_root / "docs" / guide).read_text(encoding="utf-8")
    commands = list(commands_in(text))
    spans = CODE_SPAN.findall(SHELL_BLOCK.sub("", text))
    assert commands
    assert spans
    assert {shlex.join(words): said for words in commands if (said := mistake(words))} == {}
    assert {span: unknown for span in spans if (unknown := unknown_in(span))} == {}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("roundledger backup create x --no-such", "No such option"),
        ("roundledger no-such", "No such command"),
        ("true && roundledger hold place round", "Missing argument"),
        ("roundledger serve --port many | cat", "Invalid value"),
    ],
)
def test_a_command_that_does_not_parse_is_found(line: str, said: str):
    (words,) = commands_in(f"```sh\nls x  # roundledger\n{line}\n```\n")
    assert said in str(mistake(words))


def test_an_unknown_name_in_prose_is_found():
    assert unknown_in("roundledger backup verify DIR --all --none") == ["--none"]
    assert unknown_in("roundledger hold keep ROUND") == ["keep"]
