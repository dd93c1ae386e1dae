from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.figure.files.moc_file import check_indices, check_moc, read_parameters
from tests.unit.figure.models import NEO

MOC = (NEO / "neo.moc3").read_bytes()


def test_a_valid_moc_passes() -> None:
    check_moc(MOC, 3)
    check_indices(MOC, 2)


@pytest.mark.parametrize("slot", [60, 70])
@pytest.mark.parametrize("start", [1 << 27, -1])
def test_a_form_whose_points_are_elsewhere_is_refused(slot: int, start: int) -> None:
    # The core accepts it, and crashes once that form is shown.
    (section,) = struct.unpack_from("<I", MOC, 64 + 4 * slot)
    for number in (0, 40):
        data = bytearray(MOC)
        struct.pack_into("<i", data, section + 4 * number, start)
        with pytest.raises(ValueError, match="damaged"):
            check_moc(bytes(data), 3)


def test_a_missing_texture_is_found() -> None:
    with pytest.raises(ValueError, match="texture"):
        check_indices(MOC, 0)


@pytest.mark.parametrize("data", [b"", b"MOC3", b"MOC3\x03" + bytes(59), b"PK", MOC[:1000]])
def test_other_files_are_no_moc3(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        check_moc(data, 3)


@pytest.mark.parametrize("data", [b"", b"moc", b"MOC3" + bytes(100), b"moc\x63" + bytes(100)])
def test_other_files_are_no_old_moc(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        check_moc(data, 2)


def test_an_old_moc_passes() -> None:
    check_moc(b"moc\x0a" + bytes(100), 2)


@settings(max_examples=60)
@given(st.binary(max_size=400), st.integers(1, 6))
def test_any_bytes_are_read_or_refused(tail: bytes, version: int) -> None:
    data = b"MOC3" + bytes([version, 0]) + tail
    with pytest.raises(ValueError, match=r"\w"):
        check_moc(data, 3)


def test_the_parameters_are_read_from_the_bytes() -> None:
    found = read_parameters(MOC)
    assert found["ParamAngleX"] == (-30.0, 30.0, 0.0)
    assert len(found) > 40


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 4000), st.binary(max_size=40), st.integers(0, 100_000))
def test_any_bytes_give_parameters_or_none(at: int, noise: bytes, length: int) -> None:
    data = bytearray(MOC)
    data[at : at + len(noise)] = noise
    try:
        found = read_parameters(bytes(data[:length]))
    except ValueError as error:
        assert str(error)
    else:
        assert all(low <= default <= high for low, high, default in found.values())
