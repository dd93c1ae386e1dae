"""Which addresses belong to the internet, and which name a picture."""

import pytest

from neodeskpet.documents.web.addresses import file_name, is_public, is_web, picture_addresses


@pytest.mark.parametrize("ip", ["93.184.216.34", "2606:4700::1111", "64:ff9b::5db8:d822"])
def test_the_internet(ip: str) -> None:
    assert is_public(ip)


@pytest.mark.parametrize(
    "ip",
    [
        "127.0.0.1",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.9.9",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1%eth0",
        "fd00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "2002:7f00:1::",
        "64:ff9b::7f00:1",
        "192.0.0.192",
        "192.0.0.9",
        "168.63.129.16",
        "::ffff:168.63.129.16",
        "64:ff9b::a83f:8110",
        "100.100.100.200",
        "169.254.169.254",
        "192.88.99.1",
        "fec0::1",
        "feff::1",
        "64:ff9b:1::1",
        "::7f00:1",
        "2001:db8::1",
        "100::1",
        "not an address",
        "",
    ],
)
def test_this_computer_and_its_network(ip: str) -> None:
    assert not is_public(ip)


@pytest.mark.parametrize(
    ("address", "fetchable"),
    [
        ("https://a.example/x.png", True),
        ("HTTP://a.example", True),
        ("file:///etc/passwd", False),
        ("ftp://a.example/x.png", False),
        ("javascript:alert(1)", False),
        ("data:image/png;base64,AAAA", False),
        ("https:///x.png", False),
        ("http://[::1/x.png", False),
        ("x.png", False),
    ],
)
def test_addresses_that_can_be_fetched(address: str, fetchable: bool) -> None:
    assert is_web(address) is fetchable


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("look https://a.example/cat.png.", ["https://a.example/cat.png"]),
        ("看这个https://a.example/猫.JPG，好看吗", ["https://a.example/猫.JPG"]),
        ("(https://a.example/c.webp?w=1)", ["https://a.example/c.webp?w=1"]),
        ("![x](https://a.example/c.gif)", ["https://a.example/c.gif"]),
        ("https://a.example/a.png https://a.example/a.png", ["https://a.example/a.png"]),
        ("https://a.example/page.html", []),
        ("file:///home/me/cat.png", []),
        ("no address", []),
        ("https://.png", []),
    ],
)
def test_picture_addresses_in_a_text(text: str, found: list[str]) -> None:
    assert picture_addresses(text) == found


def test_a_long_text_is_searched_once() -> None:
    assert picture_addresses("https://" * 20_000) == []


def test_names_of_files() -> None:
    assert file_name("https://a.example/p/big%20cat.png?x=/y") == "big cat.png"
    assert file_name("https://a.example") == ""
