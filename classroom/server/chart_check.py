"""Check values.yaml against the schema of the Zero to JupyterHub chart, merged as helm does it; no cluster is asked.

Usage: python -m classroom.server.chart_check FOLDER     (of a chart, unpacked)
"""

import argparse
import json
import sys
from pathlib import Path

import jsonschema
import yaml

VALUES = Path(__file__).with_name("cluster") / "values.yaml"
SCHEMAS = ("values.schema.json", "values.schema.yaml")  # in a packaged chart; in its source


class NoChart(Exception):
    """Say why a folder is no chart that can be checked against."""


def merged(chart: dict, ours: dict) -> dict:
    """Return the values of a chart with ours in their place: tables are merged, everything else is replaced."""
    both = dict(chart)
    for name, value in ours.items():
        kept = both.get(name)
        both[name] = merged(kept, value) if isinstance(kept, dict) and isinstance(value, dict) else value
    return both


def check(folder: Path, values: Path = VALUES) -> list[str]:
    """Return one sentence for each value that the schema of the chart in a folder refuses.

    Raises:
        NoChart: the folder holds no chart of JupyterHub with a schema.
    """
    schema = next((folder / name for name in SCHEMAS if (folder / name).is_file()), None)
    if schema is None or not (folder / "values.yaml").is_file() or not (folder / "Chart.yaml").is_file():
        raise NoChart(f"{folder} must hold Chart.yaml, values.yaml and values.schema.json, as an unpacked chart does.")
    name = _read(folder / "Chart.yaml").get("name")
    if name != "jupyterhub":
        raise NoChart(f"{folder} must hold the chart jupyterhub, but it holds {name!r}.")
    whole = merged(_read(folder / "values.yaml"), _read(values))
    validator = jsonschema.Draft7Validator(_read(schema))
    errors = sorted(validator.iter_errors(whole), key=lambda error: list(map(str, error.absolute_path)))
    return [f"{'.'.join(map(str, error.absolute_path)) or 'the whole'}: {error.message}" for error in errors]


def _read(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)


def main(arguments=None) -> int:
    """Check; return 0 if the values fit the chart, else 1."""
    parser = argparse.ArgumentParser(description="Check values.yaml against the chart's schema.")
    parser.add_argument("chart", type=Path, help="the folder of the unpacked chart")
    folder = parser.parse_args(arguments).chart
    try:
        found = check(folder)
    except (NoChart, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(found) or f"{VALUES.name} fits the chart in {folder}.", file=sys.stderr if found else sys.stdout)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
