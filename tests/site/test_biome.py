"""JavaScript is formatted and linted, by the rules of biome.json."""

import subprocess

from tests.conftest import ROOT


def test_scripts_are_formatted_and_linted(npm_folder):
    biome = [npm_folder / "node_modules" / ".bin" / "biome", "ci", "--error-on-warnings", "--colors=off"]
    done = subprocess.run(biome, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
