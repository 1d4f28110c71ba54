"""The page's scripts that need no page, run by Node."""

import json
import shutil
import subprocess

from publish.site.build import HERE

RUN = """
const fs = require("fs");
globalThis.window = globalThis;
globalThis.document = { querySelector: () => null };
const { scripts, asked, given } = JSON.parse(fs.readFileSync(0, "utf8"));
for (const script of scripts) (0, eval)(fs.readFileSync(script, "utf8"));
// what a script would do after a while needs a page
process.stdout.write(JSON.stringify((0, eval)(asked)(given)), () => process.exit());
"""


def run(asked: str, given, *scripts: str):
    """Return what a JavaScript function gives for a value, after these scripts of the site have run."""
    node = shutil.which("node")
    assert node, "Node is missing: install nodejs"
    paths = [str(HERE / "static" / name) for name in scripts]
    told = json.dumps({"scripts": paths, "asked": asked, "given": given})
    done = subprocess.run([node, "-e", RUN], input=told, capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
