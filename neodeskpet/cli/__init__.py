"""The commands of the terminal: one module each, with `run(argv) -> exit code`."""

COMMANDS = {
    "agents": "neodeskpet.cli.agents_command",
    "chat": "neodeskpet.cli.chat_command",
    "child": "neodeskpet.cli.child_command",
    "decode": "neodeskpet.cli.decode_command",
    "demo": "neodeskpet.cli.demo_command",
    "doctor": "neodeskpet.cli.doctor_command",
    "export": "neodeskpet.cli.export_command",
    "extras": "neodeskpet.cli.extras_command",
    "import": "neodeskpet.cli.import_command",
    "knowledge": "neodeskpet.cli.knowledge_command",
    "listen": "neodeskpet.cli.listen_command",
    "mcp": "neodeskpet.cli.mcp_command",
    "memory": "neodeskpet.cli.memory_command",
    "model": "neodeskpet.cli.model_command",
    "say": "neodeskpet.cli.say_command",
    "store": "neodeskpet.cli.store_command",
    "tell": "neodeskpet.cli.tell_command",
}
