// Small comforts on top of pages that work without any script: copying, focus, counting what is selected.
"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // ---- Said aloud: #status is a polite live region that is there from load. It also holds what this script says ----
  let saying = 0;
  const words = one("#status").dataset;
  const say = (text) => {
    clearTimeout(saying);
    saying = setTimeout(() => { one("#status").textContent = text; }, 500);
  };

  // ---- Focus goes where the page says: an error summary, an Undo, a refusal ----
  const focusOn = (element) => {
    if (!element.matches("a[href], button, input, select, textarea, summary, [tabindex]")) element.tabIndex = -1;
    element.removeAttribute("data-focus");
    element.setAttribute("data-focused", "");
    element.focus();
  };
  const settle = (root) => {
    const wanted = root.matches("[data-focus]") ? root : one("[data-focus]", root);
    if (wanted) focusOn(wanted);
    const news = all("[data-announce]", root).map((element) => element.dataset.announce || element.textContent);
    if (news.length) say(news.join(" ").trim());
    count();
  };

  // ---- Esc and Cancel close what floats over the page ----
  const shut = (open) => { open.open = false; one("summary", open).focus(); };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || event.keyCode === 229 || event.defaultPrevented || one("dialog[open]")) return;
    const open = event.target.closest("details[data-closes][open]") || one("details[data-closes][open]");
    if (!open) return;
    shut(open);
  });

  // ---- Copying ----
  const byHand = (text) => {
    const box = document.createElement("textarea");
    box.value = text;
    box.className = "hidden";
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    return done;
  };
  const copy = async (button) => {
    const text = button.dataset.copy;
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch {
      done = byHand(text);
      button.focus();
    }
    say(done ? button.dataset.copied || words.copied : words.notCopied);
    if (!done) return;
    button.setAttribute("data-copied-now", "");
    setTimeout(() => button.removeAttribute("data-copied-now"), 2000);
  };

  // ---- Selection on the page of a pass ----
  const boxes = () => all('input[name="include"]').filter((box) => box.form?.matches("[data-candidates]"));
  const write = (selector, text) => all(selector).forEach((element) => {
    if (element.textContent !== text) element.textContent = text;
  });
  const label = (element, number) => {
    const kind = number === 0 ? "none" : number === 1 ? "one" : "many";
    return (element.dataset[kind] || words[kind]).replace("{n}", String(number));
  };
  // A long plan is shown in pages: data-more and data-more-drifted count what is selected on the others.
  const elsewhere = (name) => Number(one("form[data-candidates]")?.dataset[name] || 0);
  const count = () => {
    if (!one("form[data-candidates]")) return;
    const here = boxes().filter((box) => box.checked);
    const drifted = here.filter((box) => "drifted" in box.dataset).length + elsewhere("moreDrifted");
    const chosen = here.length + elsewhere("more");
    const changes = chosen - drifted;
    write("[data-selected-count]", String(chosen));
    write("[data-drifted-count]", String(drifted));
    all("[data-drifted-note]").forEach((element) => { element.hidden = drifted === 0; });
    all("[data-apply-label]").forEach((element) => {
      element.textContent = label(element, changes);
      element.closest("button").disabled = changes === 0;
    });
    all("form[data-candidates].footbar").forEach((bar) => {
      bar.hidden = chosen === 0 && !one("details[open]", bar);
    });
    all("[data-toggle-group]").forEach((button) => {
      const group = boxes().filter((box) => box.dataset.group === button.dataset.toggleGroup);
      const full = group.length > 0 && group.every((box) => box.checked);
      button.textContent = full ? button.dataset.exclude || words.exclude : button.dataset.include || words.include;
      button.dataset.to = full ? "off" : "on";
    });
  };
  const toggle = (button) => {
    const on = button.dataset.to === "on";
    boxes().filter((box) => box.dataset.group === button.dataset.toggleGroup).forEach((box) => { box.checked = on; });
    count();
    tell();
  };
  const tell = () => {
    const chosen = boxes().filter((box) => box.checked).length + elsewhere("more");
    const total = one("form[data-candidates]")?.dataset.total || boxes().length;
    say(words.selected.replace("{n}", String(chosen)).replace("{total}", String(total)));
  };
  let last = null;
  const range = (box) => {
    const list = boxes();
    const [from, to] = [list.indexOf(last), list.indexOf(box)].sort((a, b) => a - b);
    if (from >= 0) list.slice(from, to + 1).forEach((other) => { other.checked = box.checked; });
  };

  document.addEventListener("click", (event) => {
    const target = event.target;
    const copies = target.closest("[data-copy]");
    if (copies) copy(copies);
    if (target.closest("[data-close]")) shut(target.closest("details"));
    const group = target.closest("[data-toggle-group]");
    if (group) toggle(group);
    if (target.matches('input[name="include"]')) {
      if (event.shiftKey && last && last !== target) range(target);
      last = target;
      count();
      tell();
    }
    all("details[data-closes][open]").filter((menu) => !menu.contains(target)).forEach((menu) => { menu.open = false; });
  });
  document.addEventListener("reset", () => setTimeout(count));
  addEventListener("pageshow", count);

  // ---- Answers to htmx requests ----
  const notice = (id, again) => {
    const place = one("#notices");
    if (!place) return;
    place.replaceChildren(one(id).content.cloneNode(true));
    const retry = one("[data-retry]", place);
    if (again) retry.addEventListener("click", () => { place.replaceChildren(); again(); });
    else if (retry) retry.remove();
    settle(place);
  };
  const sentAgain = ({ elt, triggeringEvent }) => () => {
    window.htmx.trigger(elt, triggeringEvent?.type || (elt.matches("form") ? "submit" : "click"));
  };
  // A refusal never replaces what the person was looking at: it goes to the notices above it.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const detail = event.detail;
    if (!detail.isError) return;
    const page = /^\s*<!doctype/i.test(detail.serverResponse);
    if (page && detail.xhr.status < 500 && detail.requestConfig.elt.closest("[hx-select]")) return; // a form that comes back with its own error summary
    if (!page && detail.serverResponse.includes("data-refused")) {
      detail.target = one("#notices");
      detail.swapOverride = "innerHTML";
      detail.selectOverride = "[data-refused]";
    } else if (page || detail.xhr.status >= 500 || !detail.serverResponse.trim()) {
      detail.shouldSwap = false;
      notice("#no-answer", detail.requestConfig.verb === "get" ? sentAgain(detail.requestConfig) : null);
    }
  });
  // Addresses name only the filters that are set.
  document.addEventListener("htmx:configRequest", (event) => {
    const { verb, parameters } = event.detail;
    if (verb !== "get") return;
    Object.keys(parameters).filter((name) => parameters[name] === "").forEach((name) => { delete parameters[name]; });
  });
  document.addEventListener("htmx:beforeRequest", () => { one("#notices")?.querySelector("[data-refused]")?.remove(); });
  // The event comes from each new element; the target itself is gone when it was replaced as a whole.
  document.addEventListener("htmx:afterSettle", (event) => {
    settle(event.target);
    if (document.activeElement === document.body && event.detail.target.isConnected) {
      event.detail.target.tabIndex = -1;
      event.detail.target.focus({ preventScroll: true });
    }
  });
  document.addEventListener("htmx:oobAfterSwap", (event) => settle(event.detail.target));
  ["htmx:sendError", "htmx:timeout"].forEach((name) => document.addEventListener(name, (event) => {
    notice("#not-sent", sentAgain(event.detail.requestConfig || event.detail));
  }));

  settle(document.body);
})();
