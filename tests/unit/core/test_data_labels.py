"""Labels of data."""

from neodeskpet.core.data_labels import (
    EARLIER_LABELS,
    IMPORTED_LABELS,
    NO_LABELS,
    DataSource,
    Labels,
    SourceKind,
    add_sources,
    join_labels,
    labels_of,
    read_sources,
    write_sources,
)

PAGE = DataSource(SourceKind.PAGE)
NOTE = DataSource(SourceKind.NOTE)


def test_which_sources_are_private_and_which_untrusted() -> None:
    private = {one for one in SourceKind if DataSource(one).is_private}
    assert (
        SourceKind.FILE in private and SourceKind.SERVER in private and SourceKind.NOTE in private
    )
    assert not private & {
        SourceKind.PAGE,
        SourceKind.SEARCH,
        SourceKind.WORLD_BOOK,
        SourceKind.OTHER,
    }
    own = {one for one in SourceKind if not DataSource(one).is_untrusted}
    assert own == {
        SourceKind.NOTE,
        SourceKind.MEMORY,
        SourceKind.TODO,
        SourceKind.CALENDAR,
        SourceKind.OTHER,
    }


def test_labels_are_joined_without_duplicates() -> None:
    page, note = labels_of(PAGE, untrusted=True), labels_of(NOTE, untrusted=False)
    assert page == Labels((PAGE,)) and note == Labels((), (NOTE,))
    assert page | note | page == Labels((PAGE,), (NOTE,))
    assert join_labels(()) == NO_LABELS and not NO_LABELS and note


def test_data_without_labels_and_imported_data_is_untrusted_and_private() -> None:
    assert EARLIER_LABELS.untrusted and EARLIER_LABELS.private
    assert IMPORTED_LABELS.untrusted and IMPORTED_LABELS.private


def test_sources_are_stored_and_unreadable_ones_are_untrusted() -> None:
    assert write_sources(()) == "" and read_sources("") == () and read_sources(None) == ()
    sources = (PAGE, DataSource(SourceKind.SERVER, "mcp.邮件"))
    assert read_sources(write_sources(sources)) == sources
    for broken in ("x", "[1]", '[["unknown", ""]]', "{}1"):
        assert read_sources(broken) == (DataSource(SourceKind.OTHER),)
    assert add_sources((PAGE,), (NOTE, PAGE)) == (PAGE, NOTE)
