/* A step of a slider as a movement: numbers of a drawing go from one state to the next where both have the same form.
   Only places and sizes move. Words, colours and the cells of a picture change at once: nothing stands between them. */
"use strict";
(() => {
  const MOVES = /^(d|points|transform|[xyr]|[xy][12]|[cr][xy]|width|height)$/;
  const found = new WeakMap();
  /* Tell for each gap of a form whether its number is a place or a size. */
  const moves = (pieces) => {
    if (!found.has(pieces)) {
      let attribute = "";
      const one = pieces.map((piece) => {
        if (piece.includes('"')) attribute = /([\w-]+)="[^"]*$/.exec(piece)?.[1] || "";
        return MOVES.test(attribute);
      });
      found.set(pieces, pieces.some((piece) => piece.includes('class="cells"')) ? pieces.map(() => false) : one);
    }
    return found.get(pieces);
  };
  const written = (pieces, numbers) => pieces.slice(1).reduce((text, piece, gap) => text + numbers[gap] + piece, pieces[0]);

  course.motion = {
    /* Return what is drawn at a place of a layer: its form, its numbers, and all of it as text. */
    state(part, place) {
      if (part.texts) return { text: part.texts[place] };
      const [form, ...numbers] = part.filled[place].split(" ");
      return { form, numbers, text: written(part.forms[form], numbers) };
    },
    /* Return the way from one state to another, share of the way -> state; null where there is none. */
    way(part, from, to) {
      if (!from?.numbers || from.form !== to.form) return null;
      const pieces = part.forms[to.form];
      const between = to.numbers.map((number, gap) => moves(pieces)[gap] && number !== from.numbers[gap]);
      if (!between.some(Boolean)) return null;
      return (share) => {
        if (share >= 1) return to;
        const numbers = to.numbers.map((number, gap) => {
          const start = Number(from.numbers[gap]);
          return between[gap] ? (start + share * (number - start)).toFixed(2) : number;
        });
        return { form: to.form, numbers, text: written(pieces, numbers) };
      };
    },
  };
})();
