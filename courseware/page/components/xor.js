/* Four points of two kinds, and a line with a handle at each end: how many points lie on the side that says so.
   data: {x: the points as [x, y]; y: 0 or 1 for each; ends: where the line's handles begin; diagonals: whether each two
   points of a kind are joined}
   state: {ends; best: the most points that were right so far; tried: how often the line was moved} */
import { aloud, count, drawn, knob, made, played, shown } from "./shared.js";

export const style = `${played(".c-xor")}
.c-xor svg { overflow: hidden; border-radius: 8px; background: var(--c-soft); }
.c-xor .head { gap: 1.6rem; padding-bottom: 0.4rem; }
.c-xor .best { color: var(--c-quiet); }
.c-xor .says-1 { fill: var(--c-input); fill-opacity: 0.2; }
.c-xor text.side { font-weight: 600; fill: var(--c-text); }
.c-xor .joined { stroke: var(--c-text); stroke-width: 2.5; stroke-dasharray: 7 5; }
.c-xor .joined.one { stroke: var(--c-output); stroke-dasharray: none; }
.c-xor .crossing { fill: var(--c-paper); stroke: var(--c-text); stroke-width: 2.5; }
.c-xor .point circle { fill: var(--c-paper); stroke: var(--c-target); stroke-width: 2.5; }
.c-xor .point.one circle { fill: var(--c-output); stroke: none; }
.c-xor .point .value { font-size: 19px; font-weight: 700; stroke: none; fill: var(--c-text); }
.c-xor .point.one .value { fill: var(--c-paper); }
.c-xor .point .mark { font-size: 19px; font-weight: 700; fill: var(--c-words-output); }
.c-xor .point.right .mark { fill: var(--right, var(--c-hidden)); }
`;

const FIELD = [-0.45, 1.45]; /* both axes, and as far as a handle goes */
const STEP = 0.02;
const NEAR = 0.2; /* how near the two handles may come */
const rounded = (value) => Math.round(Math.min(Math.max(value, FIELD[0] + 0.08), FIELD[1] - 0.08) * 100) / 100;
const copied = ({ ends, best, tried }) => ({ ends: ends.map((end) => [...end]), best, tried });

export const render = (element, data, state, changed) => {
  const start = { ends: data.ends, best: 0, tried: 0 };
  let now = copied(state || start);
  let size = [0, 0];
  const [side, line, joined, points, words] = [drawn("path", { class: "says-1" }), drawn("path", { class: "line" }), drawn("g"), drawn("g"), drawn("g")];
  const grips = drawn("g");
  const svg = drawn("svg", { role: "group", "aria-label": "Four points, and a line to lay between them" }, side, joined, line, points, words, grips);
  const [counted, score] = count("points right");
  const [counts, most] = count("best so far");
  counts.classList.add("best");
  const voice = aloud();
  element.append(made("div", { class: "head" }, counted, counts), svg, voice.element);

  const px = ([x, y]) => [((x - FIELD[0]) / (FIELD[1] - FIELD[0])) * size[0], ((FIELD[1] - y) / (FIELD[1] - FIELD[0])) * size[1]];
  const put = (one, place) => one.setAttribute("transform", `translate(${px(place).map((value) => value.toFixed(1)).join(" ")})`);
  /* Above 0 where the line says 1: on the left of the way from its first handle to its second. */
  const says = ([x, y]) => {
    const [[ax, ay], [bx, by]] = now.ends;
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
  };
  const fits = () => data.x.map((point, at) => says(point) > 0 === data.y[at] > 0);

  const draw = () => {
    const right = fits();
    const number = right.filter(Boolean).length;
    now.best = Math.max(now.best, now.tried ? number : 0);
    score.textContent = `${number} of ${right.length}`;
    most.textContent = now.tried ? now.best : "–";
    element.classList.toggle("untouched", !now.tried);
    right.forEach((fit, at) => {
      points.children[at].classList.toggle("right", fit);
      points.children[at].querySelector(".mark").textContent = fit ? "✓" : "✗";
    });
    const [a, b] = now.ends.map(px);
    const far = [b[0] - a[0], b[1] - a[1]].map((one) => (one / Math.hypot(b[0] - a[0], b[1] - a[1])) * 2000);
    const along = [[a[0] - far[0], a[1] - far[1]], [b[0] + far[0], b[1] + far[1]]];
    const path = (all) => `M${all.map((one) => one.map((value) => value.toFixed(1)).join(" ")).join("L")}`;
    line.setAttribute("d", path(along));
    side.setAttribute("d", `${path([...along, ...along.reverse().map(([x, y]) => [x + far[1], y - far[0]])])}Z`);
    now.ends.forEach((end, at) => {
      put(knobs[at], end);
      knobs[at].setAttribute("aria-valuenow", end[1].toFixed(2));
      knobs[at].setAttribute("aria-valuetext", `at ${shown(end[0], 2)}, ${shown(end[1], 2)}`);
    });
    const corners = [[0, 0], [0, 1], [1, 0], [1, 1]].map((corner) => [corner, says(corner.map((one) => FIELD[one]))]);
    corners.sort((one, other) => other[1] - one[1]);
    [corners[0], corners[3]].forEach(([[across, up]], at) => {
      const [x, y] = [across ? size[0] - 12 : 12, up ? 22 : size[1] - 12];
      for (const [name, value] of Object.entries({ x, y, "text-anchor": across ? "end" : "start" })) words.children[at].setAttribute(name, value);
    });
    return right;
  };
  const told = () => {
    const right = draw();
    const wrong = data.x.filter((point, at) => !right[at]);
    voice.says(`${score.textContent} points right; wrong: ${wrong.map((point) => point.join(", ")).join("; ")}. Best so far: ${now.best}.`);
    changed(copied(now));
  };
  const to = (at, [x, y]) => {
    const [end, other] = [[rounded(x), rounded(y)], now.ends[1 - at]];
    if (Math.hypot(end[0] - other[0], end[1] - other[1]) < NEAR) return;
    now.ends[at] = end;
    now.tried += 1;
    draw();
  };
  const knobs = ["First", "Second"].map((name, at) =>
    knob(svg, ...FIELD, {
      label: `${name} handle of the line`,
      moved: (left, top) => to(at, [FIELD[0] + (left / size[0]) * (FIELD[1] - FIELD[0]), FIELD[1] - (top / size[1]) * (FIELD[1] - FIELD[0])]),
      stepped: (right, up) => to(at, [now.ends[at][0] + right * STEP, now.ends[at][1] + up * STEP]),
      released: told,
    }),
  );
  grips.append(...knobs);
  words.append(...["says 1", "says 0"].map((text) => drawn("text", { class: "side" }, text)));
  points.append(...data.x.map(([x, y], at) =>
    drawn("g", { class: data.y[at] ? "point one" : "point" },
      drawn("circle", { r: 20 }),
      drawn("text", { class: "value", y: 7, "text-anchor": "middle" }, String(data.y[at])),
      drawn("text", { class: "mark", x: 20, y: -12, "text-anchor": "middle" }),
      drawn("text", { x: x ? 28 : -28, y: 5, "text-anchor": x ? "start" : "end" }, `${x}, ${y}`))));
  const laid = () => {
    const width = Math.round(element.clientWidth);
    if (!width || width === size[0]) return;
    size = [width, Math.min(Math.max(Math.round(width * 0.48), 280), 318)];
    svg.setAttribute("viewBox", `0 0 ${size.join(" ")}`);
    data.x.forEach((point, at) => put(points.children[at], point));
    if (data.diagonals) {
      const joins = [0, 1].map((kind) => {
        const [[x1, y1], [x2, y2]] = data.x.filter((point, at) => data.y[at] === kind).map(px);
        return drawn("line", { class: kind ? "joined one" : "joined", x1, y1, x2, y2 });
      });
      const [cx, cy] = px([0.5, 0.5]);
      joined.replaceChildren(...joins, drawn("circle", { class: "crossing", cx, cy, r: 7 }), drawn("text", { class: "side", x: cx + 14, y: cy + 5 }, "1 or 0?"));
    }
    draw();
  };
  const watched = new ResizeObserver(laid);
  laid();
  watched.observe(element);
  return {
    set: (other) => {
      now = copied(other || start);
      draw();
    },
    end: () => {
      watched.disconnect();
      voice.end();
    },
  };
};
