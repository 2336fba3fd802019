"""Count machines and their files."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from api.service.fields import FileContent, Id, Model, ShownMoney

MachineText = Annotated[str, Field(min_length=1, max_length=20_000, description="TOML.")]


class MachineIn(Model):
    text: MachineText


class MachineOut(Model):
    """How the files of a machine are read, as accounting last said."""

    machine: str
    text: str
    kept_at: str
    by: str


class MachinesOut(Model):
    machines: list[MachineOut]


class MachineStored(Model):
    machine: str
    text: str


class FileIn(Model):
    machine: Id = Field(examples=["counter-1"])
    file: FileContent = Field(description="The file in Base64.", examples=["RGVub20sUGllY2VzCjUuMDAsNjAK"])


class FileCountOut(Model):
    """What the file says of the box, and its SHA-256."""

    pieces: dict[str, int]
    total: ShownMoney
    file_sha256: str
