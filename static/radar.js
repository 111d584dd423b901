// Keys, taps without a reload, and runs as they happen. Everything works without it.
"use strict";
(() => {
  const stories = () => [...document.querySelectorAll(".story[id]")];
  const top = (story) => story.getBoundingClientRect().top;
  const isInView = (story) => top(story) < innerHeight && story.getBoundingClientRect().bottom > 0;

  // The story that had the focus last.
  let current = null;
  document.addEventListener("focusin", (event) => {
    const story = event.target.closest(".story[id]");
    if (!story) return;
    current?.classList.remove("current");
    current = story;
    current.classList.add("current");
  });

  // The story that keys are about: the current one, or if it was scrolled away the first in view.
  const meant = () => {
    if (current && isInView(current)) return current;
    const seen = stories().filter(isInView);
    return seen.find((story) => top(story) >= 0) ?? seen[0];
  };

  const select = (step) => {
    const all = stories();
    if (!all.length) return;
    const from = meant() ?? all.find((story) => top(story) >= 0) ?? all.at(-1);
    const place = all.indexOf(from) + (from === current ? step : 0);
    const story = all[Math.min(Math.max(place, 0), all.length - 1)];
    story.focus({ preventScroll: true });
    story.scrollIntoView({ block: "nearest", behavior: "auto" });
  };

  // Sends a form as one of its buttons does, and returns what the server says.
  const send = async (form, button) => {
    const fields = new URLSearchParams(new FormData(form));
    fields.append(button.name, button.value);
    const request = { method: "POST", body: fields, headers: { Accept: "application/json" } };
    const answer = await fetch(form.action, request).catch(() => null);
    if (!answer) throw new Error("The server cannot be reached; try again in a moment.");
    const said = await answer.json().catch(() => null);
    if (answer.status === 401) throw new Error("Your sign-in has ended: sign in again, then load this page again.");
    if (!answer.ok || !said) throw new Error(said?.error?.message ?? "That did not work; load the page again.");
    return said;
  };

  const show = (output, text) => {
    if (output) output.textContent = text.charAt(0).toUpperCase() + text.slice(1);
  };

  // Buttons whose request is under way: another press would be about a state that the page does not show yet.
  const sending = new Set();

  // Sends what a button says, and shows what it changed in the button and beside it.
  const say = async (form, button) => {
    const opposite = { like: "dislike", dislike: "like", save: "skip", skip: "save" }[button.value];
    const other = opposite ? form.querySelector(`button[value="${opposite}"]`) : null;
    if (sending.has(button) || sending.has(other)) return;
    const pressed = button.name === "kind";
    const output = form.querySelector("output");
    sending.add(button);
    try {
      const said = await send(form, button);
      press(button, pressed);
      if (pressed && other) press(other, false);
      if (button.value === "read") form.closest(".story")?.classList.toggle("read", pressed);
      show(output, said.message);
    } catch (error) {
      show(output, error.message);
    } finally {
      sending.delete(button);
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

  // An answer stays on the page when it is rated.
  document.querySelector("form.verdict")?.addEventListener("submit", async (event) => {
    if (!event.submitter?.name) return;
    event.preventDefault();
    const output = event.target.querySelector("output");
    try {
      show(output, (await send(event.target, event.submitter)).message);
    } catch (error) {
      show(output, error.message);
    }
  });

  // Each form of such a page is saved alone: what was typed in the others, or is tried out, would be lost.
  const apart = document.querySelector("[data-apart]");
  const isTyped = (field) => {
    if (!field.matches("input, select, textarea") || field.type === "hidden") return false;
    if (apart.querySelector(`.trial input[name="${CSS.escape(field.name)}"]`)) return true;
    if (!field.matches("select")) return field.value !== field.defaultValue;
    return field.selectedIndex !== Math.max([...field.options].findIndex((option) => option.defaultSelected), 0);
  };
  apart?.addEventListener("submit", (event) => {
    const fields = [...apart.querySelectorAll("form")].flatMap((form) => [...form.elements]);
    const isLost = fields.some((field) => !(field.name in event.target.elements) && isTyped(field));
    const question = "What is typed in the other parts of this page is not saved and will be lost. Go on?";
    if (isLost && !confirm(question)) event.preventDefault();
  });

  // While a model writes an answer, what it reads is named; the answer is then the page that the form leads to.
  const asking = document.querySelector("form[data-stream]");
  addEventListener("pageshow", () => asking?.querySelector("output").replaceChildren());
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
      if (search?.getAttribute("aria-current") === "page") return document.querySelector("input[name=q]").select();
      return search && location.assign(search.href);
    }
    if (event.key === "j") return select(1);
    if (event.key === "k") return select(-1);
    const story = meant() ?? (document.querySelectorAll("form.say").length === 1 ? document : null);
    if (!story) return;
    if (event.key === "o") story.querySelector("h1 a, h2 a, .line a")?.click();
    if (event.key === "w") story.querySelector('a[href*="/stories/"]')?.click();
    if (!event.repeat) story.querySelector(`form.say button[data-key="${CSS.escape(event.key)}"]`)?.click();
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
