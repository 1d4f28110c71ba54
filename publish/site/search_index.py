"""What the search knows of a lesson's page: titles, sentences, and the words of what follows a guess."""

import re
from html.parser import HTMLParser

_LEFT_OUT = {"button", "form", "math", "pre", "script", "style", "summary", "svg"}
_CLASSES_LEFT_OUT = {"arrays", "doing", "elsewhere", "help", "keys", "live", "numbers", "quiz", "without-scripts"}
_WITHOUT_EXCERPT = ("Exercise", "Exercises", "Recap", "What is not claimed")  # they build on what guesses ask for


def sections(page: str) -> list[list]:
    """Return the sections of a page, each as [id, title, sentences, words, whether it asks for a guess].

    What follows a guess, tables and recaps are words in the order of the alphabet: a search finds them and shows none.
    """
    reader = _Reader()
    reader.feed(page)
    return [
        [one["id"], _line(one["title"]), _sentences(one["told"]), _words(one["words"]), one["asks"]]
        for one in reader.found
    ]


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.inside = [], []  # inside: (tag, where its text goes) of each open element

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        classes, where = set(given.get("class", "").split()), self._where()
        if "id" in given and (re.fullmatch("h[123]", tag) or given["id"] == "cell-reading"):
            reading = "Further reading" * (tag == "span")
            self.found.append({"id": given["id"], "title": reading, "told": "", "words": "", "asks": False})
            where = "title" if tag != "span" else where
        elif tag in _LEFT_OUT or classes & _CLASSES_LEFT_OUT:
            if "guess" in classes:
                self.found[-1]["asks"] = True
            self._add("…" * (tag == "math"))
            where = None
        elif where == "told" and (tag == "table" or "experiment" in classes):
            where = "words"
        elif tag in ("p", "li", "details"):
            self._add("\n")
        self.inside.append((tag, where))

    def handle_endtag(self, tag):  # and what has no end, such as <br>
        while self.inside and self.inside.pop()[0] != tag:
            pass

    def handle_data(self, data):
        self._add(data)

    def _where(self):
        return self.inside[-1][1] if self.inside else "told"

    def _add(self, text):
        if self.found and (where := self._where()):
            hides = where == "told" and self.found[-1]["title"] in _WITHOUT_EXCERPT
            self.found[-1]["words" if hides else where] += text


def _line(text):
    return " ".join(text.split())


def _sentences(text):
    parts = re.split(r"\n|(?<=[.?!])\s+(?=[A-Z“*(])", text)
    return "\n".join(filter(None, map(_line, parts)))


def _words(text):
    return " ".join(sorted(re.findall(r"\w*[^\W\d]\w*", text.lower())))
