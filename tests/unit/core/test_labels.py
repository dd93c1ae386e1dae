"""Labels of data."""

from neodeskpet.core.labels import (
    EARLIER,
    IMPORTED,
    NO_LABELS,
    Labels,
    Material,
    Source,
    add_sources,
    join_labels,
    labels_of,
    read_sources,
    write_sources,
)

PAGE = Source(Material.PAGE)
NOTE = Source(Material.NOTE)


def test_what_is_private_and_what_is_untrusted_by_itself() -> None:
    private = {one for one in Material if Source(one).is_private}
    assert Material.FILE in private and Material.SERVER in private and Material.NOTE in private
    assert not private & {Material.PAGE, Material.SEARCH, Material.WORLD_BOOK, Material.OTHER}
    own = {one for one in Material if not Source(one).is_untrusted}
    assert own == {
        *(Material.NOTE, Material.MEMORY, Material.TODO, Material.CALENDAR, Material.OTHER)
    }


def test_labels_are_joined_without_doubles() -> None:
    page, note = labels_of(PAGE, untrusted=True), labels_of(NOTE, untrusted=False)
    assert page == Labels((PAGE,)) and note == Labels((), (NOTE,))
    assert page | note | page == Labels((PAGE,), (NOTE,))
    assert join_labels(()) == NO_LABELS and not NO_LABELS and note


def test_what_was_stored_before_and_what_was_imported_is_untrusted_and_private() -> None:
    assert EARLIER.untrusted and EARLIER.private
    assert IMPORTED.untrusted and IMPORTED.private


def test_sources_are_stored_and_what_can_not_be_read_is_untrusted() -> None:
    assert write_sources(()) == "" and read_sources("") == () and read_sources(None) == ()
    sources = (PAGE, Source(Material.SERVER, "mcp.邮件"))
    assert read_sources(write_sources(sources)) == sources
    for broken in ("x", "[1]", '[["unknown", ""]]', "{}1"):
        assert read_sources(broken) == (Source(Material.OTHER),)
    assert add_sources((PAGE,), (NOTE, PAGE)) == (PAGE, NOTE)
