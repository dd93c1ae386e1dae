"""Files of the person's as text: PDF, Word, EPUB, HTML, code. Read in a process of its own."""
