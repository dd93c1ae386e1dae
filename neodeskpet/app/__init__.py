"""The app: builds the windows on the engine and runs them. Start order:

1. the log and the settings, with what the command line says for this run;
2. Qt: the OpenGL format before QApplication, then theme, language, fonts; another NeoDeskPet with
   this data folder is asked to show itself instead;
3. asyncio on Qt's loop;
4. the pet's window (it is the body that the tools move), then the engine with it;
5. the desk: chat, bubble, tray, settings, joined by signals;
6. the pet's model is checked and loaded while everything else works already.

It ends when the person quits: windows close, the turn stays on disk as it is, tasks are cancelled.
"""

from neodeskpet.app.start import StartOptions, run_app

__all__ = ["StartOptions", "run_app"]
