/* Python with NumPy and the course's checks, in a worker: it answers one question at a time. */

/* What went wrong first, while everything is loaded: [kind, the reason]. */
let trouble = null;
const note = (kind, reason) => ((trouble = trouble || [kind, String(reason)]), new Error(reason));

/* Load everything, and say how much has arrived so far and how much it will be: as it is sent, compressed or not.
   `again`: ask the network, and nothing that the browser has kept. */
const boot = async ({ folder, wheels, course, sizes, again }) => {
  const root = new URL("..", import.meta.url).href; /* of the site */
  const sent = { ...sizes };
  const arrived = {};
  const sum = (numbers) => Object.values(numbers).reduce((total, one) => total + one, 0);
  const plain = self.fetch.bind(self);
  const say = (words) => postMessage({ words });
  const counting = async (address, options) => {
    const name = String(address.url || address).slice(root.length);
    const response = await plain(address, again ? { ...options, cache: "reload" } : options).catch((error) => {
      throw note("no answer", `${name}: ${error}`);
    });
    if (!response.ok) throw note("wrong answer", `${name}: ${response.status}`);
    if (!response.body || !sizes[name]) return response;
    if (response.headers.get("content-encoding")) sent[name] = Number(response.headers.get("content-length")) || sizes[name];
    let bytes = 0;
    const reader = response.body.getReader();
    const counted = new ReadableStream({
      async pull(out) {
        const { done, value } = await reader.read().catch((error) => {
          throw note("no answer", `${name}: ${error}`);
        });
        if (done && bytes !== sizes[name]) throw note("wrong answer", `${name}: ${bytes} bytes in place of ${sizes[name]}`);
        if (done) return out.close();
        bytes += value.length;
        arrived[name] = (bytes * sent[name]) / sizes[name];
        postMessage({ bytes: sum(arrived), of: sum(sent) });
        if (Object.keys(sizes).every((one) => Math.round(arrived[one]) >= sent[one])) say("Starting Python …");
        out.enqueue(value);
      },
    });
    const headers = new Headers(response.headers);
    if (name.endsWith(".wasm")) headers.set("content-type", "application/wasm"); /* whatever the server calls it */
    return new Response(counted, { status: response.status, headers });
  };
  self.fetch = counting; /* for what Pyodide loads by itself */
  const archive = async (name) => (await counting(root + name)).arrayBuffer();
  const [zip, ...packed] = await Promise.all([
    archive(course),
    ...wheels.map((name) => archive(folder + name)),
    ...Object.keys(sizes).filter((name) => name.endsWith(".js")).map(archive), /* imports say nothing of what came */
  ]);
  const { loadPyodide } = await import(`${root}${folder}pyodide.js`);
  const { default: createPyodideModule } = await import(`${root}${folder}pyodide.asm.js`); /* which Pyodide calls .mjs */
  const lockFileURL = `${root}${folder}pyodide-lock.json`;
  const python = await loadPyodide({ indexURL: root + folder, lockFileURL, createPyodideModule });
  self.fetch = plain;
  const started = "Starting Python: the course’s checks …";
  say(started);
  for (const wheel of packed.slice(0, wheels.length)) python.unpackArchive(wheel, "wheel"), say(started);
  python.unpackArchive(zip, "zip", { extractDir: "/course" });
  say(started);
  python.runPython("import sys; sys.path.insert(0, '/course'); import numpy");
  say(started);
  const inPage = python.pyimport("publish.site.in_page");
  inPage.listen((seconds) => postMessage({ seconds }));
  return inPage;
};

let page = null;
onmessage = async ({ data }) => {
  if (data.start) {
    page = boot(data.start);
    page.then(
      () => postMessage({ ready: true }),
      (error) => {
        const [fatal, reason] = trouble || ["other", String(error)];
        console.warn("Python could not be started:", reason);
        postMessage({ fatal, reason });
      },
    );
    return;
  }
  const { number, id, source } = data;
  try {
    const asked = await page;
    const reply = {
      check: () => asked.check(id, source, Boolean(data.arrays)),
      run: () => asked.run(id, source),
      "hand in": () => asked.hand_in(data.lesson, data.name, data.notebook, data.answers, data.progress),
    }[data.do]();
    postMessage({ number, ...JSON.parse(reply) });
  } catch (error) { /* Python itself is broken now, as after too deep a recursion or too much memory */
    postMessage({ fatal: "broken", reason: String(error) });
  }
};
