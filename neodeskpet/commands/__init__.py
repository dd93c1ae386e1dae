"""The commands of the terminal, one a file with `run(argv) -> exit code`."""

COMMANDS = {
    "agents": "neodeskpet.commands.agents.command",
    "chat": "neodeskpet.commands.chat",
    "child": "neodeskpet.commands.child",
    "decode": "neodeskpet.commands.decode",
    "demo": "neodeskpet.commands.demo",
    "doctor": "neodeskpet.commands.doctor",
    "export": "neodeskpet.commands.export",
    "extras": "neodeskpet.commands.extras.command",
    "import": "neodeskpet.commands.bring_back",
    "knowledge": "neodeskpet.commands.knowledge.command",
    "mcp": "neodeskpet.commands.mcp",
    "memory": "neodeskpet.commands.memory",
    "model": "neodeskpet.commands.model",
    "store": "neodeskpet.commands.store.move",
    "tell": "neodeskpet.commands.tell",
}
