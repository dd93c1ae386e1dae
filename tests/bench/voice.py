"""`./run bench voice --speech FILE.wav [--seconds N]`: does the companion's own voice interrupt it?

The file (speech, 10 to 30 seconds of it) is played again and again into the null sink of a
PulseAudio server, whose monitor is the microphone. Printed: how many frames Silero VAD calls
speech with and without echo cancellation, how often the voice was ducked, and how often it would
have been stopped (the goal is 0). The exit code is 1 if it would have been stopped.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import aclosing
from pathlib import Path

from neodeskpet.core.voice.listening import Command, ListeningState, ListenMode
from neodeskpet.core.voice.ports import FRAME_MS, LISTEN_RATE
from neodeskpet.voice.sound_devices import Microphone, Speaker
from neodeskpet.voice.sound_files import read_sound_file
from neodeskpet.voice.speech_detection import VAD_FRAME_MS, SpeechDetector
from tests.support.pulseaudio import MONITOR, SINK, PulseServer

_INNER = "--inner"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run bench voice", description=__doc__)
    parser.add_argument("--speech", type=Path, required=True, metavar="FILE")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument(_INNER, action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args(arguments)
    if words.inner:
        print(json.dumps(asyncio.run(_echo(read_sound_file(words.speech), words.seconds))))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        server = PulseServer(Path(folder))
        try:  # miniaudio reads the server's address from the environment of its process
            command = [sys.executable, "-m", "tests.bench.voice", *arguments, _INNER]
            done = subprocess.run(
                command, env=server.environment, stdout=subprocess.PIPE, text=True, check=True
            )
        finally:
            server.close()
    figures = json.loads(done.stdout)
    for name, value in figures.items():
        print(f"{value:8}  {name}")
    return 1 if figures["stops"] else 0


async def _echo(speech: bytes, seconds: int) -> dict[str, int]:
    """After a stop the state machine is told that the companion speaks again."""
    cancelling, plain = SpeechDetector(), SpeechDetector()
    speaker = Speaker(SINK, LISTEN_RATE, on_played=cancelling.reference)
    state = ListeningState(ListenMode.HANDS_FREE, VAD_FRAME_MS)
    state.start()
    state.speaking_started()
    counts: Counter[str] = Counter(stops=0)
    heard = 0
    async with aclosing(Microphone(MONITOR).frames()) as frames:
        async for frame in frames:
            if speaker.is_idle:
                speaker.play(0, speech)
            counts["speech frames without echo cancellation"] += sum(plain.process(frame)[1])
            for is_speech in cancelling.process(frame)[1]:
                counts["frames"] += 1
                counts["speech frames with echo cancellation"] += is_speech
                commands = state.frame(is_speech)
                counts["ducked"] += Command.DUCK in commands
                if Command.STOP_SPEAKING in commands:
                    counts["stops"] += 1
                    state.stop()
                    state.start()
                    state.speaking_started()
            heard += FRAME_MS
            if heard >= seconds * 1000:
                break
    speaker.close()
    return dict(counts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
