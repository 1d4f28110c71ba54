/* Python with NumPy and the course's checks, in a worker: it answers one question at a time. */

/* Load everything, and say how much has arrived so far and how much it will be: as it is sent, compressed or not. */
const boot = async ({ folder, wheels, course, sizes }) => {
  const root = new URL("..", import.meta.url).href; /* of the site */
  const sent = { ...sizes };
  const arrived = {};
  const sum = (numbers) => Object.values(numbers).reduce((total, one) => total + one, 0);
  const plain = self.fetch.bind(self);
  const counting = async (address, options) => {
    const response = await plain(address, options);
    const name = String(address.url || address).slice(root.length);
    if (!response.ok || !response.body || !sizes[name]) return response;
    if (response.headers.get("content-encoding")) sent[name] = Number(response.headers.get("content-length")) || sizes[name];
    arrived[name] = 0;
    const counted = response.body.pipeThrough(
      new TransformStream({
        transform(part, out) {
          arrived[name] += (part.length * sent[name]) / sizes[name];
          postMessage({ progress: sum(arrived), of: sum(sent) });
          out.enqueue(part);
        },
      }),
    );
    return new Response(counted, { status: response.status, headers: response.headers });
  };
  self.fetch = counting; /* for what Pyodide loads by itself */
  const archive = async (name) => {
    const response = await counting(root + name);
    if (!response.ok) throw new Error(`${name}: ${response.status}`);
    return response.arrayBuffer();
  };
  const { loadPyodide } = await import(`${root}${folder}pyodide.mjs`);
  const [python, zip, ...packed] = await Promise.all([
    loadPyodide({ indexURL: root + folder, lockFileURL: `${root}${folder}pyodide-lock.json` }),
    archive(course),
    ...wheels.map((name) => archive(folder + name)),
  ]);
  self.fetch = plain;
  for (const wheel of packed) python.unpackArchive(wheel, "wheel");
  python.unpackArchive(zip, "zip", { extractDir: "/course" });
  python.runPython("import sys; sys.path.insert(0, '/course')");
  const inPage = python.pyimport("course_lib.in_page");
  inPage.listen((seconds) => postMessage({ seconds }));
  return inPage;
};

let page = null;
onmessage = async ({ data }) => {
  if (data.start) {
    page = boot(data.start);
    page.then(
      () => postMessage({ ready: true }),
      () => postMessage({ fatal: "Python could not be loaded. Are you online? Press the button again to retry." }),
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
    postMessage({ fatal: "Python stopped unexpectedly, perhaps because it ran out of memory. Your code is kept. Press the button again." });
  }
};
