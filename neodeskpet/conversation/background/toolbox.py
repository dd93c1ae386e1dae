"""A toolbox whose calls may go on in the background."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from neodeskpet.conversation.background.tasks import BackgroundTasks
from neodeskpet.core.background.task import STARTED, TaskWork
from neodeskpet.core.errors import StoreError, ToolFailed
from neodeskpet.core.labels import Labels
from neodeskpet.core.tool_result import Shown, ToolResult
from neodeskpet.core.toolspec import Progress, Risk, Toolbox, ToolOffer, ToolSpec
from neodeskpet.tools.origin import current_origin


async def start_in(
    tasks: BackgroundTasks,
    conversation: str,
    spec: ToolSpec,
    arguments: Mapping[str, object],
    work: TaskWork,
) -> str:
    """A `Begin`, for a conversation."""
    try:
        labels = spec.labels | Labels(current_origin().untrusted)
        task = await tasks.start(
            *(conversation, spec.name, arguments, work),
            foreign=spec.brings_foreign,
            labels=labels,
        )
    except StoreError as error:
        raise ToolFailed(str(error), advice="Try it without the background.") from error
    return task.id


class BackgroundToolbox:
    """`toolbox` for a conversation: a call that is declared async, or says so, is answered with the
    id of its task; so is one that takes long and is sent on by the person.
    """

    def __init__(self, toolbox: Toolbox, tasks: BackgroundTasks, conversation: str) -> None:
        self._toolbox = toolbox
        self._tasks = tasks
        self._conversation = conversation

    def offer(self) -> ToolOffer:
        return _BackgroundOffer(self._toolbox.offer(), self._tasks, self._conversation)


class _BackgroundOffer:
    def __init__(self, offer: ToolOffer, tasks: BackgroundTasks, conversation: str) -> None:
        self._offer = offer
        self._tasks = tasks
        self._conversation = conversation

    @property
    def specs(self) -> Sequence[ToolSpec]:
        return self._offer.specs

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        spec = next((spec for spec in self.specs if spec.name == name), None)
        if spec is None or spec.eager or spec.risk is Risk.GESTURE:
            return await self._offer.run(name, arguments, progress)
        work = partial(self._offer.run, name, arguments)
        begin = partial(start_in, self._tasks, self._conversation, spec, arguments)
        if not spec.in_background(arguments):
            return await self._tasks.running_calls.run(name, arguments, work, progress, begin)
        self._offer.check(name, arguments)
        task_id = await begin(work)
        return ToolResult(STARTED.format(id=task_id), {"task_id": task_id})

    def check(self, name: str, arguments: Mapping[str, object]) -> None:
        self._offer.check(name, arguments)

    async def preview(self, name: str, arguments: Mapping[str, object]) -> Shown | None:
        return await self._offer.preview(name, arguments)
