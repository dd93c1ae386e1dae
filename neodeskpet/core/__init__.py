"""Pure values and decisions: no I/O, clock, Qt, asyncio, httpx or pydantic."""
