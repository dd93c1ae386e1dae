"""Models that can be downloaded by name: small ones that talk, call tools and speak Chinese.

Addresses are of one revision each, so that size and checksum stay right. Both are as ten and more
public projects record them that have these files; the files themselves were not fetched when this
was written. What arrives is held against them; where an offer has no checksum, against the one that
the server tells.
"""

from __future__ import annotations

from dataclasses import dataclass

HUB = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class DownloadableModel:
    """`path` is below the hub's address, `size` in bytes. An empty `sha256` isn't known."""

    title: str
    path: str
    size: int
    sha256: str
    licence: str

    @property
    def file(self) -> str:
        return self.path.rpartition("/")[2]

    def url(self, hub: str = HUB) -> str:
        return f"{hub.rstrip('/')}/{self.path}"


DOWNLOADABLE_MODELS = (
    DownloadableModel(
        "Qwen3 0.6B",
        "Qwen/Qwen3-0.6B-GGUF/resolve/23749fefcc72300e3a2ad315e1317431b06b590a/Qwen3-0.6B-Q8_0.gguf",
        639_446_688,
        "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031",
        "Apache-2.0",
    ),
    DownloadableModel(
        "Qwen3 1.7B",
        "Qwen/Qwen3-1.7B-GGUF/resolve/90862c4b9d2787eaed51d12237eafdfe7c5f6077/Qwen3-1.7B-Q8_0.gguf",
        1_834_426_016,
        "061b54daade076b5d3362dac252678d17da8c68f07560be70818cace6590cb1a",
        "Apache-2.0",
    ),
    DownloadableModel(
        "Qwen3 4B",
        "Qwen/Qwen3-4B-GGUF/resolve/bc640142c66e1fdd12af0bd68f40445458f3869b/Qwen3-4B-Q4_K_M.gguf",
        2_497_280_256,
        "7485fe6f11af29433bc51cab58009521f205840f5b4ae3a32fa7f92e8534fdf5",
        "Apache-2.0",
    ),
)
