/* The first page's question: any answer opens its picture, and the question becomes the reply to it. */
"use strict";
(() => {
  const { data, made } = course;
  const id = "opening-component";
  const [asks, box] = [document.querySelector(".asks"), document.getElementById(id)];
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
    asks.querySelector(".question").append(bend);
  };
  asks.addEventListener("click", (event) => {
    if (!event.target.closest(".option")) return;
    answered();
    put({ open: true });
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (asks.querySelector(".quiz").getBoundingClientRect().bottom > innerHeight || asks.getBoundingClientRect().top < 0)
      asks.scrollIntoView({ behavior: still ? "auto" : "smooth" });
    bend.focus({ preventScroll: true });
  });
  bend.addEventListener("click", () => put({ bend: given.state.bend === "none" ? "ReLU" : "none" }));
  box.addEventListener("changed", named);
  if (!asks.querySelector(".option.right")) return;
  given.state.open = true; /* remembered */
  answered();
})();
