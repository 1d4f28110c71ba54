"""Check values.yaml against the schema of the Zero to JupyterHub chart, merged as helm does it; no cluster is asked.

Usage: python -m classroom.server.chart_check FOLDER     (of a chart, unpacked, or of its source)
"""

import argparse
import sys
from pathlib import Path

import jsonschema
import yaml

VALUES = Path(__file__).with_name("cluster") / "values.yaml"


def merged(chart: dict, ours: dict) -> dict:
    """Return the values of a chart with ours in their place: tables are merged, everything else is replaced."""
    both = dict(chart)
    for name, value in ours.items():
        kept = both.get(name)
        both[name] = merged(kept, value) if isinstance(kept, dict) and isinstance(value, dict) else value
    return both


def check(folder: Path, values: Path = VALUES) -> list[str]:
    """Return one sentence for each value that the schema of the chart in a folder refuses."""
    schema = next(
        folder.glob("values.schema.*"), folder / "values.schema.json"
    )  # YAML in the source; it reads JSON too
    schema, theirs, ours = (
        yaml.safe_load(path.read_text("utf-8")) for path in (schema, folder / "values.yaml", values)
    )
    errors = jsonschema.Draft7Validator(schema).iter_errors(merged(theirs, ours))
    return sorted(f"{'.'.join(map(str, error.absolute_path)) or 'the whole'}: {error.message}" for error in errors)


def main(arguments=None) -> int:
    """Check; return 0 if the values fit the chart, else 1."""
    parser = argparse.ArgumentParser(description="Check values.yaml against the chart's schema.")
    parser.add_argument("chart", type=Path, help="the folder of the unpacked chart of JupyterHub")
    folder = parser.parse_args(arguments).chart
    try:
        found = check(folder)
    except OSError as error:
        found = [f"{folder} is no unpacked chart: {error}"]
    print("\n".join(found) or f"{VALUES.name} fits the chart in {folder}.", file=sys.stderr if found else sys.stdout)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
