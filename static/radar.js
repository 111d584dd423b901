// Keys, taps without a reload, and runs as they happen. Everything works without it.
"use strict";
(() => {
  const stories = () => [...document.querySelectorAll(".story[id]")];
  let current = -1;

  const select = (step) => {
    const all = stories();
    if (!all.length) return;
    all[current]?.classList.remove("current");
    current = Math.min(Math.max(current + step, 0), all.length - 1);
    const story = all[current];
    story.classList.add("current");
    story.focus({ preventScroll: true });
    story.scrollIntoView({ block: "nearest", behavior: "auto" });
  };

  // Sends what a button says, and shows what it changed in the button and beside it.
  const say = async (form, button) => {
    const fields = new URLSearchParams(new FormData(form));
    fields.append(button.name, button.value);
    const output = form.querySelector("output");
    try {
      const answer = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(answer.status === 401 ? "Sign in again." : "That did not work; try again.");
      const said = await answer.json();
      const pressed = button.name === "kind";
      press(button, pressed);
      const opposite = { like: "dislike", dislike: "like", save: "skip", skip: "save" }[button.value];
      const other = opposite && form.querySelector(`button[value="${opposite}"]`);
      if (pressed && other) press(other, false);
      if (button.value === "read") form.closest(".story")?.classList.toggle("read", pressed);
      if (output) output.textContent = said.message;
    } catch (error) {
      if (output) output.textContent = error.message;
    }
  };

  const press = (button, pressed) => {
    button.name = pressed ? "undo" : "kind";
    button.setAttribute("aria-pressed", String(pressed));
  };

  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form.say") || !event.submitter?.name) return;
    event.preventDefault();
    say(event.target, event.submitter);
  });

  // While a model writes an answer, what it reads is named; the answer is then the page that the form leads to.
  const asking = document.querySelector("form[data-stream]");
  asking?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const output = asking.querySelector("output");
    output.textContent = "Looking for passages…";
    try {
      const body = new URLSearchParams(new FormData(asking));
      const answer = await fetch(asking.dataset.stream, { method: "POST", body });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (let part = await reader.read(); !part.done && !text.includes("event: done"); part = await reader.read()) {
        text += part.value;
        const found = text.match(/event: found\ndata: (.*)\n/);
        if (found) output.textContent = `Reading ${JSON.parse(found[1]).documents.join(", ")}…`;
      }
    } finally {
      asking.submit();
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (event.key === "Escape" && menu?.open) {
      menu.open = false;
      return menu.querySelector("summary").focus();
    }
    if (help?.open) return;
    if (event.key === "?" && help) return help.showModal();
    if (event.key === "/") {
      event.preventDefault();
      const search = document.querySelector('nav.site a[href$="/search"]');
      return search && location.assign(search.href);
    }
    if (event.key === "j") return select(1);
    if (event.key === "k") return select(-1);
    const story = stories()[current] || (document.querySelectorAll("form.say").length === 1 ? document : null);
    if (!story) return;
    if (event.key === "o") story.querySelector("h1 a, h2 a, .line a")?.click();
    if (event.key === "w") story.querySelector('a[href*="/stories/"]')?.click();
    story.querySelector(`form.say button[data-key="${CSS.escape(event.key)}"]`)?.click();
  });

  const help = document.getElementById("keys");

  // The menu closes when something else is meant.
  const menu = document.querySelector("details.menu");
  document.addEventListener("click", (event) => {
    if (menu?.open && !menu.contains(event.target)) menu.open = false;
  });

  // A run's page follows it: what the server sends takes the place of the part it names.
  const live = document.querySelector("[data-live]");
  if (live) {
    const events = new EventSource(live.dataset.live);
    events.addEventListener("run", (event) => {
      const run = JSON.parse(event.data);
      for (const [name, text] of Object.entries(run)) {
        const place = live.querySelector(`[data-live-part="${CSS.escape(name)}"]`);
        if (place) place.textContent = text ?? "";
      }
    });
    events.addEventListener("end", () => {
      events.close();
      location.reload();
    });
    // A server that was restarted knows of no such run: the page is then what the database says of it.
    events.addEventListener("error", () => {
      if (events.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 2000);
    });
  }
})();
