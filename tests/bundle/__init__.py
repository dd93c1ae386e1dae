"""The bundle as a new user has it: installed in a fresh Debian, used through its windows."""
