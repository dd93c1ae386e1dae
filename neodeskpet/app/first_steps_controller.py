"""Runs the first steps at the figure: language, name, model, key, and what to try.

Servers on this computer are searched for during the first questions. Each answer takes effect at
once, and each step can be skipped.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QRect, Signal

from neodeskpet.app.engine import Engine
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.figure.behaviour.tricks import DANCE_TRICK
from neodeskpet.language import format_error, join_sentences, language, tr, tr_in
from neodeskpet.settings.secrets import SecretPlace
from neodeskpet.ui.first_steps import Step, choose_model, next_step, services_of_key
from neodeskpet.ui.first_steps_bubble import Answer, FirstStepsBubble, StepView, place_beside
from neodeskpet.ui.formatting import model_title
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.settings.services.service_presets import PRESETS, Preset
from neodeskpet.ui.settings.settings_ports import EndpointPort, LocalModelServer
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme

_HELLO = N_("Hi, I'm {name}!")
_LANGUAGE_NAMES = {"en": "English", "zh_CN": "中文"}
_MOST_SERVERS = 1
_TIMER, _REMEMBER, _NOTE, _DANCE, _VOICE = "timer", "remember", "note", "dance", "voice"
_SERVER, _OTHER, _KEY, _NO_MODEL = "server", "other", "key", "none"


class FirstStepsController(QObject):
    """Runs the first steps. `find_servers` searches this computer, `remember` stores a fact, `send`
    sends a message to the companion. `done`: the steps are over; with False they ended before the
    last one. `voice_requested`: the user wants to choose its voice.
    """

    done = Signal(bool)
    voice_requested = Signal()

    def __init__(
        self,
        engine: Engine,
        pet: PetWindow,
        theme: Theme,
        service: EndpointPort,
        find_servers: Callable[[], Awaitable[Sequence[LocalModelServer]]],
        remember: Callable[[str], Awaitable[None]],
        send: Callable[[str], None],
        names: tuple[str, str],
    ) -> None:
        """`names`: the names of the companion and of the user's account."""
        super().__init__()
        self._engine = engine
        self._pet = pet
        self._service = service
        self._find_servers = find_servers
        self._remember = remember
        self._send = send
        self._companion_name, self._user_name = names
        self._servers: Sequence[LocalModelServer] | None = None
        self._found_model = ""
        self._called = ""
        self._key = ""
        self._in_memory = False
        self.bubble = FirstStepsBubble(theme)
        self._work = TaskRunner("first steps", failed=self._fail)
        self.bubble.answered.connect(self._answer)
        self.bubble.written.connect(self._on_written)
        self.bubble.skipped.connect(self._go_on)
        self.bubble.ended.connect(partial(self._end, finished=False))
        pet.anchored.connect(self._place)

    def start(self) -> None:
        self._work.start("look", self._look)
        self._place()
        self._show(Step.LANGUAGE)

    def set_theme(self, theme: Theme) -> None:
        self.bubble.set_theme(theme)

    def retranslate(self) -> None:
        if self.bubble.step is not None and self.bubble.isVisible():
            self._show(self.bubble.step)

    async def aclose(self) -> None:
        self._pet.anchored.disconnect(self._place)
        await self._work.aclose()
        self.bubble.close()
        self.bubble.deleteLater()

    # The steps

    def _show(self, step: Step) -> None:
        match step:
            case Step.LANGUAGE:
                view = self._language_view()
            case Step.NAME:
                view = self._name_view()
            case Step.SERVICE:
                view = self._service_view()
            case Step.KEY:
                view = self._key_view()
            case Step.TRY:
                view = self._try_view()
        self.bubble.show_step(view)

    def _language_view(self) -> StepView:
        """Return the step of the language: the system's language is the first choice, with its
        greeting.
        """
        codes = sorted(_LANGUAGE_NAMES, key=lambda code: code != language())
        name = self._companion_name
        personas = self._engine.storage.personas
        has_names = name == personas.name_in(codes[0])
        other = personas.name_in(codes[1]) if has_names else name
        hello = [tr(_HELLO, name=name), tr_in(codes[1], _HELLO, name=other)]
        answers = [Answer(code, _LANGUAGE_NAMES[code], primary=code == codes[0]) for code in codes]
        return StepView(Step.LANGUAGE, hello[0], hello[1], answers)

    def _name_view(self) -> StepView:
        return StepView(
            Step.NAME,
            tr("What shall I call you?"),
            answers=[Answer("yes", tr("That's me"), primary=True), Answer("later", tr("Later"))],
            field=self._user_name,
            field_label=tr("Your name"),
        )

    def _service_view(self) -> StepView:
        called = self._called
        title = (
            tr("{name}, how shall I think?", name=called) if called else tr("How shall I think?")
        )
        found = self._servers or ()
        answers = [
            Answer(
                f"{_SERVER} {number}",
                tr("{server}, right here", server=server.title),
                tr("{model} · private", model=model_title(choose_model(server.models))),
                "computer",
                primary=number == 0,
            )
            for number, server in enumerate(found[:_MOST_SERVERS])
        ]
        answers += [
            Answer(_KEY, tr("I have a key"), "OpenAI, DeepSeek, Gemini…", "key", not answers),
            Answer(
                _NO_MODEL,
                tr("Without a model"),
                tr("timers, notes, sums, small talk"),
                "companion",
            ),
        ]
        note = "" if self._servers is not None else tr("Looking for model servers…")
        return StepView(Step.SERVICE, title, note, answers, stacked=True)

    def _key_view(self) -> StepView:
        """Return the step of the key: the services that it may belong to; after the test, the
        result.
        """
        answers: list[Answer] = []
        if self._found_model:
            answers = [Answer("good", tr("Good"), primary=True)]
            if self._in_memory:
                answers.append(Answer("file", tr("Keep the key in a file")))
        elif self._key:
            answers = [Answer(id, _preset(id).words) for id in services_of_key(self._key)]
        note = tr("Which service is it for?") if self._key and not self._found_model else ""
        return StepView(
            Step.KEY,
            tr("Paste your key"),
            note,
            answers,
            field="",
            field_label=tr("Key"),
            secret=True,
            stacked=len(answers) > 2,
        )

    def _try_view(self) -> StepView:
        second = (
            Answer(_REMEMBER, tr("Remember that I love pears"), icon="memory")
            if self._has_model
            else Answer(_NOTE, tr("Make a note: buy pears"), icon="notebook")
        )
        answers = [
            Answer(_TIMER, tr("Tea in 5 minutes"), icon="bell"),
            second,
            Answer(_DANCE, tr("Dance!"), icon="play"),
            Answer(_VOICE, tr("Speak aloud…"), icon="voice"),
        ]
        return StepView(Step.TRY, tr("Ready! Try me:"), answers=answers, stacked=True)

    @property
    def _has_model(self) -> bool:
        return bool(self._engine.models.turn_factory.catalog().endpoints)

    def _go_on(self, step: Step, *, with_key: bool = False) -> None:
        following = next_step(step, with_key=with_key)
        if following is None:
            self._end(finished=True)
        else:
            self._show(following)

    def _end(self, *, finished: bool) -> None:
        self.bubble.hide()
        self.done.emit(finished)

    # The answers

    def _answer(self, step: Step, answer: str) -> None:
        match step:
            case Step.LANGUAGE:
                self._change("appearance", "language", answer)
                self._go_on(step)
            case Step.NAME:
                if answer == "yes":
                    self._keep_name()
                self._go_on(step)
            case Step.SERVICE:
                self._choose_service(answer)
            case Step.KEY:
                if answer == "good":
                    self._go_on(step)
                elif answer == "file":
                    self._work.start("file", self._keep_key_in_file)
                else:
                    self._try_key(_preset(answer))
            case Step.TRY:
                self._try(answer)

    def _keep_name(self) -> None:
        field = self.bubble.field
        self._called = " ".join(field.text().split()) if field is not None else ""
        if self._called:
            fact = tr("My name is {name}.", name=self._called)
            self._work.start("name", partial(self._keep_fact, fact))

    async def _keep_fact(self, fact: str) -> None:
        await self._remember(fact)

    def _choose_service(self, answer: str) -> None:
        kind, _, number = answer.partition(" ")
        if kind == _KEY:
            self._go_on(Step.SERVICE, with_key=True)
            return
        if kind == _SERVER and self._servers:
            server = self._servers[int(number)]
            self._use("openai", server.base_url, choose_model(server.models))
        self._go_on(Step.SERVICE)

    def _use(self, protocol: str, base_url: str, model: str) -> None:
        for name, value in (("protocol", protocol), ("base_url", base_url), ("model", model)):
            self._change("service", name, value)

    def _on_written(self, text: str) -> None:
        """Test a pasted key at once; the old result is hidden when the user starts to type."""
        if self.bubble.step is not Step.KEY:
            return
        before = self._key, self._found_model
        self._found_model = ""
        services = services_of_key(text)
        self._key = text.strip() if services else ""
        self.bubble.show_result("")
        if before != (self._key, self._found_model):
            self._show(Step.KEY)
        if len(services) == 1:
            self._try_key(_preset(services[0]))

    def _try_key(self, preset: Preset) -> None:
        self.bubble.show_result(tr("Trying {service}…", service=preset.words))
        self._work.replace("key", partial(self._test_key, preset, self._key))

    async def _test_key(self, preset: Preset, key: str) -> None:
        """Store the key and request the models of the service. If that fails, the key is
        removed.
        """
        service = self._engine.settings.settings.service
        before = (service.protocol, service.base_url, service.model)
        self._use(preset.protocol, preset.base_url, "")
        try:
            await self._service.store_key(key)
            model = choose_model(await self._service.models())
        except KnownError as error:
            await self._service.delete_key()
            self._use(*before)
            self.bubble.show_result(format_error(error), failed=True)
            return
        self._change("service", "model", model)
        self._found_model = model or "?"
        self._in_memory = (await self._service.key()).place is SecretPlace.MEMORY
        self._show(Step.KEY)
        works = tr("✓ {service} works: {model}", service=preset.words, model=self._found_model)
        if self._in_memory:
            lost = tr("There is no keyring: the key will be lost when the app closes.")
            works = join_sentences(f"{works}.", lost)
        self.bubble.show_result(works)

    async def _keep_key_in_file(self) -> None:
        await self._service.allow_file()
        self._in_memory = False
        self._go_on(Step.KEY)

    def _try(self, answer: str) -> None:
        texts = {
            _TIMER: tr("Set a timer for tea in 5 minutes"),
            _REMEMBER: tr("Remember that I love pears"),
            _NOTE: tr("Make a note: buy pears"),
        }
        if answer == _DANCE:
            self._pet.perform(DANCE_TRICK, asked=True)
        self._end(finished=True)
        if answer in texts:
            self._send(texts[answer])
        if answer == _VOICE:
            self.voice_requested.emit()

    # Events in the background

    async def _look(self) -> None:
        found = await self._find_servers()
        self._servers = [server for server in found if choose_model(server.models)]
        if self.bubble.step is Step.SERVICE:
            self._show(Step.SERVICE)

    def _fail(self, error: KnownError) -> None:
        """Report an error. The steps continue; an error of a request of the user is shown in its
        step.
        """
        if self._servers is None:
            self._servers = ()
        self.bubble.show_result(format_error(error), failed=True)

    def _change(self, section: str, name: str, value: object) -> None:
        try:
            self._engine.settings.change(section, name, value)
        except KnownError as error:
            self.bubble.show_result(format_error(error), failed=True)

    def _place(self) -> None:
        stand = self._pet.placement
        mouth = QRect(stand.mouth_point(), stand.mouth_point())
        self.bubble.set_place(place_beside(stand.figure_rect(), mouth, stand.head_rect()))


def _preset(preset_id: str) -> Preset:
    return next(preset for preset in PRESETS if preset.id == preset_id)
