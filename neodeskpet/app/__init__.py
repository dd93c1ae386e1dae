"""The app: builds the windows on the engine and runs them. Order of the start:

1. Qt: the OpenGL format before QApplication. If another NeoDeskPet runs with this data folder, it
   is asked to show itself instead.
2. asyncio on Qt's event loop.
3. The log, the settings with the options of the command line, and the language.
4. The window of the companion (the tools move its figure) and its model. The figure is shown and
   animated before the rest of the code is loaded (`figure_startup.py`).
5. The engine, then `DesktopApp`: theme, fonts, chat, bubble and tray, connected by signals.

The app ends when the user quits: windows close, a running turn stays on disk as it is, and tasks
are cancelled.
"""
