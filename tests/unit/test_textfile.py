"""Lines and pieces of a text file in every encoding that occurs."""

from pathlib import Path

import pytest

from core.ingest import textfile
from core.ingest.textfile import Tally, chunks, lines
from core.records import Notices

TEXT = 'Zoë said "no".\nSecond – line\n'


def read(path: Path) -> tuple[list[tuple[int, str | None]], list[str], Tally]:
    notices, tally = Notices(), Tally()
    found = list(lines(path, notices, tally))
    return found, [notice.notice for notice in notices.as_list()], tally


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_the_same_in_every_encoding(encoding: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    content = TEXT.replace("\n", end).encode(encoding)
    if encoding.endswith("-le"):
        content = b"\xff\xfe" + content
    if encoding.endswith("-be"):
        content = b"\xfe\xff" + content
    path.write_bytes(content)

    found, said, _ = read(path)

    assert found == [(1, 'Zoë said "no".'), (2, "Second – line")]
    assert said == []
    assert "".join(chunks(path, Notices())).replace(end, "\n") == TEXT


def test_line_that_is_no_utf8_is_read_as_windows_text_and_noticed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes("plain\nZoë – ok\n".encode("cp1252"))

    found, said, _ = read(path)

    assert found == [(1, "plain"), (2, "Zoë – ok")]
    assert said == ["The line is not UTF-8; it was read as Windows text (cp1252)."]
    assert "".join(chunks(path, Notices())) == "plain\nZoë – ok\n"


def test_separators_inside_a_line_do_not_end_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("a\u2028b\x0bc\x85d\n", encoding="utf-8")

    assert read(path)[0] == [(1, "a\u2028b\x0bc\x85d")]


def test_tally_ends_at_the_size_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(TEXT * 10, encoding="utf-8")

    assert read(path)[2].bytes_read == path.stat().st_size


def test_line_too_long_is_passed_over_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(textfile, "MAX_LINE", 8)
    path = tmp_path / "file"
    path.write_text("1234567\n12345678\n" + "x" * 30 + "\nshort\n", encoding="utf-8")

    assert read(path)[0] == [(1, "1234567"), (2, None), (3, None), (4, "short")]
