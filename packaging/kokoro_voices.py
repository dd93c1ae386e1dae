"""Makes `assets/voices/kokoro.npz` of Kokoro's own voices: `kokoro_voices.py FOLDER`.

FOLDER has the `.bin` files of the folder `voices` of the npm package kokoro-js 1.2.1 (Apache-2.0),
which are those of Kokoro-82M v1.0: 510 rows of 256 32-bit numbers, one row for each length of a
text in tokens. The first rows are kept, as 16-bit numbers; a longer text uses the last one.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from neodeskpet.platform.installation import assets_dir

_ROWS = 256
_COLUMNS = 256
VOICES = {
    "zf_xiaobei": "5dde6e1c9c4f12c8b327bc29c0cee361a23b52b952c04636858ba637ec66e640",
    "zf_xiaoni": "08892b62a39af0a615cd0581238db7e19e44c578e8fa0bfd0e586e93327d9cba",
    "zf_xiaoxiao": "03adb5d5e3ddd88b047954e974e651cb0a4b524c985057e5d872e962c7be1169",
    "zf_xiaoyi": "bc1555c5c486099196ac254bae5e0bb543c121952a3092f50b7d8724f1bc36b3",
    "zm_yunjian": "de48a00bdbf3649f07162269a2b6e0513604389bfac8a2e6c75cb34b323ad6fa",
    "zm_yunxi": "7243892fb4e560d47014090ddf010f8b8b790f3c6b029ff82b2ac06aa4e27c8b",
    "af_heart": "d583ccff3cdca2f7fae535cb998ac07e9fcb90f09737b9a41fa2734ec44a8f0b",
    "af_bella": "f69d836209b78eb8c66e75e3cda491e26ea838a3674257e9d4e5703cbaf55c8b",
    "bf_emma": "669fe0647f9dd04fcab92f1439a40eeb4c8b4ab1f82e4996fe3d918ce4a63b73",
    "am_michael": "1d1f21dd8da39c30705cd4c75d039d265e9bc4a2a93ed09bc9e1b1225eb95ba1",
    "bm_george": "c4b235a4c1f2cd3b939fed08b899ce9385638b763f7b73a59616c4fc9bd6c9bc",
}
"""The voices and the SHA-256 of their files."""


def main(folder: Path) -> None:
    """Raises ValueError if a file is another one."""
    voices = {}
    for name, sha256 in VOICES.items():
        data = (folder / f"{name}.bin").read_bytes()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ValueError(f"{name} is another file")
        rows = numpy.frombuffer(data, "<f4").reshape(-1, _COLUMNS)
        voices[name] = rows[:_ROWS].astype(numpy.float16)
    target = assets_dir() / "voices" / "kokoro.npz"
    target.parent.mkdir(exist_ok=True)
    numpy.savez_compressed(target, **voices)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
