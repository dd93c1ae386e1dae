"""A note on a release, signed by the program minisign 0.11 (Debian) in both of its formats."""

KEY = "RWTCNs00507syan3UGpkwrm85qm2t0WKVHDvPcjQDopeJhVVEgserkX5"
NOTE = (
    '{"version": "0.2.0", "date": "2026-12-01", "page": "https://example.org/neodeskpet", '
    '"news": {"en": ["Figures blink.", "Faster."], "zh_CN": ["形象会眨眼。", "更快。"]}}'
).encode()
SIGNATURE = """untrusted comment: signature from minisign secret key
RUTCNs00507sybLE7BpUrupCFRjdAP8n5NUXtBdJScTKW51SjB7MyoX+zggLOx8UyQwF/c7rIbriC56xV6H8YKL6aYYkgqo21wQ=
trusted comment: NeoDeskPet 0.2.0
jXDDEA0JXIwDaLbx0zBMn3FN/lx6co7ip+Rm3hjcmlnKyZNdwTl/ZbMB7ijXGw+LBGTw3CDK+v2AQOtDcY8zAQ==
"""
LEGACY = """untrusted comment: signature from minisign secret key
RWTCNs00507syV4n6c6Rg6Z16md6GLS9WffK04kFAZecNUQXJjuLqh+6w9HfDqeXSj3xdHwxHHmVeT4OE3jxB58sy/rjZiIIxQA=
trusted comment: old form
pYlwvc7JF4YBVCNl9VZc3vgWnWwksXXC9Q/q4kfc3vpC3BwW1VU2hJJJkh81JqeUfO1n3OOdeX6gPLmXmVceDQ==
"""
