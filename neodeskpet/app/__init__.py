"""The app: builds the windows on the engine and runs them. Start order:

1. Qt: the OpenGL format before QApplication; another NeoDeskPet with this data folder is asked to
   show itself instead;
2. asyncio on Qt's loop;
3. the log and the settings, with what the command line says for this run; the language;
4. the pet's window (it is the body that the tools move), and its model: it stands and moves before
   the rest of the code is even loaded (`windows/entrance.py`);
5. the engine with it, then the desk: theme, fonts, chat, bubble, tray, joined by signals.

It ends when the person quits: windows close, the turn stays on disk as it is, tasks are cancelled.
"""
