/* Search without a network: every section of the course is in index.js. */
"use strict";
(() => {
  const { course } = window;
  const field = document.getElementById("words");
  const list = document.getElementById("found");
  const said = document.getElementById("said");
  const MOST = 30;
  /* Letters as they are compared: W₁ is W_1 and w1, and a curly apostrophe is a straight one. */
  const plain = (text) => text.normalize("NFKC").toLowerCase().replaceAll("’", "'").replaceAll("×", "x").replace(/_(?=\d)/g, "");
  /* A word without the quotes, the comma or the question mark around it; a sign alone stays. */
  const bare = (word) => word.replace(/^[“"'(]+|["”'),;:.?!]+$/g, "") || word;
  const entries = course.sections.map(([address, page, title, text]) => ({
    address, page, title, text, optional: title.startsWith("Optional"), names: (course.names[address] || []).map(plain), low: plain(text), head: plain(`${page} ${title}`),
  }));
  const search = () => {
    const typed = plain(field.value);
    const words = typed.replace(/(\p{L})[-‐](?=\p{L})/gu, "$1 ").split(/\s+/).filter(Boolean).map(bare);
    list.textContent = "";
    said.textContent = "";
    if (!words.length) return;
    const found = entries
      .map((entry) => {
        if (entry.names.some((name) => ` ${typed}`.includes(` ${name}`))) return { entry, score: 1000 };
        let score = entry.optional ? -5 : 0; /* behind a core section of which as many words stand in its title */
        for (const word of words) {
          const times = entry.low.split(word).length - 1;
          if (!times && !entry.head.includes(word)) return null;
          score += Math.min(times, 5) + (entry.head.includes(word) ? 10 : 0);
        }
        return { entry, score };
      })
      .filter(Boolean)
      .sort((one, two) => two.score - one.score);
    for (const { entry } of found.slice(0, MOST)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = entry.address;
      link.textContent = entry.page === entry.title ? entry.page : `${entry.page} › ${entry.title}`;
      const place = entry.low.lastIndexOf(" ", Math.max(0, entry.low.indexOf(words[0]) - 60)) + 1;
      const piece = document.createElement("p");
      piece.textContent = `${place ? "… " : ""}${entry.text.slice(place, place + 200).trim()} …`;
      item.append(link, piece);
      list.append(item);
    }
    const count = found.length === 1 ? "1 section found" : `${found.length || "No"} sections found`;
    said.textContent = found.length > MOST ? `${count}. Here are the best ${MOST}.` : `${count}.`;
  };
  const wanted = new URLSearchParams(location.search).get("words");
  if (wanted) field.value = wanted;
  field.addEventListener("input", search);
  field.form.addEventListener("submit", (event) => event.preventDefault());
  search();
})();
