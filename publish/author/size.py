"""Count what a maintainer owns, by feature, in tokens, which no formatting changes: `make size`.

Python counts without comments, docstrings, commas and brackets, and so does JavaScript.
"""

import io
import re
import subprocess
import tokenize

from courseware.environment import ROOT

# A feature, and the files it consists of; CONTRIBUTING.md says who uses each.
FEATURES = {
    "lessons: exercises, figures, texts in code": ("lessons/*",),
    "why an answer is wrong": ("whywrong/*",),
    "what is taught: the model": ("course_lib/*",),
    "what shows, checks and remembers": ("courseware/*.py",),
    "components, for pages and notebooks": ("courseware/page/components/*.js",),
    "web pages": ("publish/site/*.py", "publish/site/*.js", "publish/site/*.mjs"),
    "copies and updates": ("publish/learner/*",),
    "refreshing notebooks": ("publish/author/*",),
    "training of lesson 10's model": ("publish/language_model/*",),
    "report, points, plans": ("classroom/*.py", ":!classroom/server/*"),
    "class server": ("classroom/server/*.py",),
    "tests": ("tests/*.py",),
}
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def tokens(name: str, text: str) -> int:
    """Return how many tokens of code a file has, which its name says to be Python or JavaScript."""
    if name.endswith((".js", ".mjs")):
        return len(re.findall(r"\w+|[^\w\s,()\[\]{};]", re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)))
    count, begins = 0, True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in LAYOUT:
            count += token.string not in ",()[]{}" and not (begins and token.type == tokenize.STRING)
            begins = False
        elif token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = True
    return count


def main() -> None:
    """Print each feature with its tokens."""
    for feature, paths in FEATURES.items():
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", *paths], capture_output=True, encoding="utf-8")
        names = [name for name in listed.stdout.splitlines() if name.endswith((".py", ".js", ".mjs"))]
        counted = sum(tokens(name, (ROOT / name).read_text(encoding="utf-8")) for name in names)
        print(f"{counted:>9,}  {feature}")


if __name__ == "__main__":
    main()
