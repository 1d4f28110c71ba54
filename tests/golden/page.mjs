/* Replay kept rows in Pyodide, as a web page has it: node page.mjs FOLDER WHEEL ZIP EXERCISE=ONE_IN...
   FOLDER is that of pyodide.mjs; for each exercise a line of JSON is written, see replay.py. */
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, wheel, zip, ...exercises] = process.argv.slice(2);
const bytes = (file) => new Uint8Array(fs.readFileSync(file));
const { loadPyodide } = await import(
	pathToFileURL(path.join(folder, "pyodide.mjs"))
);
const python = await loadPyodide({ indexURL: `${folder}/` });
python.unpackArchive(bytes(wheel), "wheel");
python.unpackArchive(bytes(zip), "zip", { extractDir: "/course" });
python.runPython("import sys; sys.path.insert(0, '/course')");
const replay = python.pyimport("tests.golden.replay");
for (const asked of exercises) {
	const [exercise, oneIn] = asked.split("=");
	process.stdout.write(`${replay.said(exercise, Number(oneIn))}\n`);
}
