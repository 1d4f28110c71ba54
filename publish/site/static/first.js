/* The first page's question: any answer opens its picture, and the question becomes the reply to it. */
"use strict";
(() => {
  const { data, inView, made, memory } = course;
  const id = "opening-component";
  const [asks, box, question] = [document.querySelector(".asks"), document.getElementById(id), document.querySelector(".question")];
  const given = data.components[id];
  const bend = made("button", "Take the bend away", { type: "button", class: "bendless" });
  const named = () => (bend.textContent = given.state.bend === "none" ? "Put the bend back" : "Take the bend away");
  const put = (state) => {
    given.state = { ...given.state, ...state };
    if (course.playing[id]) course.playing[id].set(given.state);
    named();
  };
  const answered = () => {
    asks.classList.add("answered");
    question.append(bend);
  };
  asks.addEventListener("click", (event) => {
    const option = event.target.closest(".option");
    if (!option) return;
    memory.remember((now) => (now.guesses[question.dataset.question] = { guess: Number(option.dataset.option), near: option.matches(".right") }));
    answered();
    put({ open: true });
    inView(asks, Infinity); /* the picture goes on */
    bend.focus({ preventScroll: true });
  });
  bend.addEventListener("click", () => put({ bend: given.state.bend === "none" ? "ReLU" : "none" }));
  box.addEventListener("changed", named);
  const kept = memory.kept.guesses[question.dataset.question];
  if (!kept) return;
  question.mark(kept.guess);
  given.state.open = true;
  answered();
})();
