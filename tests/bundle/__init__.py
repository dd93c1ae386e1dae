"""The bundle as a newcomer has it: installed in a fresh Debian, used through its windows."""
