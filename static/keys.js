// Keys and the palette. Whatever they do can be done on the pages without them.
"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const palette = one("#palette"), sheet = one("#sheet");
  const single = "singleKeys" in document.body.dataset;

  // ---- What is inside a dialog comes from the console when it is first opened ----
  const answers = new Map();
  const ask = (address) => {
    if (!answers.has(address)) {
      answers.set(address, fetch(address, { headers: { "HX-Request": "true" } }).then((answer) => {
        if (!answer.ok) throw new Error(answer.statusText);
        return answer.text();
      }).catch(() => { answers.delete(address); return null; }));
    }
    return answers.get(address);
  };
  const openSheet = async () => {
    sheet.showModal();
    const found = await ask(sheet.dataset.from);
    one("[data-inside]", sheet).innerHTML = found ?? "";
    if (found === null) one("[data-inside]", sheet).textContent = palette.dataset.offline;
  };

  // ---- The palette ----
  const ID = /^([a-z]+_)?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
  const box = one("#palette-text"), list = one("#palette-list"), told = one("#palette-told");
  let acts = [], active = null, shown = Promise.resolve(), counting = 0;
  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const holds = (text) => folded(box.value).split(/\s+/).every((word) => folded(text).includes(word));
  const choices = () => all('[role="option"]:not([aria-disabled])', list).filter((choice) => !choice.hidden);
  const choose = (choice) => {
    active?.setAttribute("aria-selected", "false");
    active = choice || null;
    active?.setAttribute("aria-selected", "true");
    active?.scrollIntoView({ block: "nearest" });
    if (active) box.setAttribute("aria-activedescendant", active.id);
    else box.removeAttribute("aria-activedescendant");
  };
  const made = (tag, id, text) => {
    const choice = document.createElement(tag);
    Object.assign(choice, { id, tabIndex: -1, textContent: text });
    choice.setAttribute("role", "option");
    choice.setAttribute("aria-selected", "false");
    return choice;
  };
  const group = (name) => {
    const part = document.createElement("div"), title = document.createElement("p");
    part.setAttribute("role", "group");
    part.setAttribute("aria-label", name);
    title.setAttribute("aria-hidden", "true");
    title.textContent = name;
    part.append(title);
    return part;
  };
  // What the page offers at this moment: the bar over what is ticked, the buttons beside the heading, the account.
  const OFFERS = [".footbar :is(button, a, summary)", ".heading .actions :is(button, a, summary)", "[data-command]"];
  const offered = () => OFFERS.flatMap((selector) => all(selector))
    .filter((thing) => !thing.disabled && ("command" in thing.dataset || thing.checkVisibility()))
    .map((thing) => [thing, (thing.dataset.command || thing.textContent).replace(/\s+/g, " ").trim()])
    .filter(([, name], n, found) => found.findIndex(([, other]) => other === name) === n); // the theme stands twice in the settings
  const offers = (title, ofAccount) => {
    const part = group(title);
    acts.forEach(([thing, name], n) => {
      if (("command" in thing.dataset) === ofAccount && holds(name)) part.append(made("div", `palette-act-${n}`, name));
    });
    return part.children.length > 1 ? [part] : [];
  };
  const fill = (found, text) => {
    list.innerHTML = found ?? "";
    if (found === null) {
      const sorry = made("div", "palette-sorry", palette.dataset.offline);
      sorry.setAttribute("aria-disabled", "true");
      list.append(sorry);
    }
    all("[data-words]", list).forEach((choice) => { choice.hidden = !holds(`${choice.textContent} ${choice.dataset.words}`); });
    all('[role="group"]', list).forEach((part) => { part.hidden = !one('[role="option"]:not([hidden])', part); });
    if (ID.test(text)) return;
    list.prepend(...offers(palette.dataset.page, false));
    list.append(...offers(palette.dataset.account, true));
    if (text) {
      const search = made("a", "palette-search", list.dataset.search.replace("{text}", () => text));
      search.href = `${list.dataset.url}?${new URLSearchParams({ query: text })}`;
      list.append(search);
    }
  };
  const show = async () => {
    const text = box.value.trim();
    const from = palette.dataset.from;
    const found = await ask(ID.test(text) ? `${from}?${new URLSearchParams({ q: text })}` : from);
    if (text !== box.value.trim()) return;
    choose(null);
    fill(found, text);
    box.setAttribute("aria-expanded", String(list.children.length > 0));
    if (text) choose(choices()[0]); // without a word Enter does nothing
    clearTimeout(counting);
    counting = setTimeout(() => {
      const sorry = one("[aria-disabled]", list);
      told.textContent = sorry ? sorry.textContent.trim() : told.dataset.count.replace("{n}", String(choices().length));
    }, 500);
  };
  const refresh = () => { shown = show(); };
  const openPalette = () => {
    if (palette.open) return;
    sheet.close();
    acts = offered();
    box.value = "";
    palette.showModal();
    box.focus();
    refresh();
  };
  const take = (choice) => {
    const act = /^palette-act-(\d+)$/.exec(choice.id);
    palette.close(); // the focus goes back to where it was
    if (!act) return choice.click();
    const [thing] = acts[Number(act[1])];
    thing.focus();
    thing.click();
  };
  const step = (by) => {
    const found = choices();
    const next = found.indexOf(active) + by;
    choose(found[active ? (next + found.length) % found.length : by > 0 ? 0 : found.length - 1]);
  };
  const composing = (event) => event.isComposing || event.keyCode === 229;
  if (palette) {
    box.addEventListener("input", refresh);
    box.addEventListener("keydown", async (event) => {
      if (composing(event)) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        step(event.key === "ArrowDown" ? 1 : -1);
      } else if (event.key === "Enter") {
        event.preventDefault();
        await shown;
        if (active) take(active);
        else if (box.value.trim()) box.form.requestSubmit();
        else refresh();
      }
    });
    list.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays in the box
    list.addEventListener("click", (event) => {
      const choice = event.target.closest('[role="option"]:not([aria-disabled])');
      if (choice && choice.id.startsWith("palette-act-")) take(choice);
    });
    [palette, sheet].forEach((dialog) => dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    }));
    document.addEventListener("click", (event) => {
      const opener = event.target.closest("[data-opens]");
      if (!opener || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (opener.dataset.opens === "palette") openPalette();
      else openSheet();
    });
  }

  // ---- Rows of lists, candidates of passes ----
  const items = () => all("main table.rows tbody tr, main li.candidate")
    .filter((item) => item.checkVisibility() && one("a, button, input", item));
  let last = null;
  const current = () => {
    const at = document.activeElement?.closest("tr, li.candidate") || last;
    return at?.isConnected ? at : null;
  };
  const stand = (item) => {
    if (!item) return;
    last = item;
    const place = item.matches("tr") ? one("td.main a", item) || one("a, button, input", item) : item;
    if (place === item) {
      item.tabIndex = -1;
      item.setAttribute("data-focused", "");
    }
    place.focus();
  };
  const move = (by) => {
    const found = items(), at = found.indexOf(current());
    stand(found[at < 0 ? 0 : Math.min(found.length - 1, Math.max(0, at + by))]);
  };
  const record = (item) => one(".side a.button", item) || one("td.main a, .text a, .evidence a", item);
  const tick = (item, event) => {
    const ticked = item && one('input[name="include"]', item);
    ticked?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: event.shiftKey }));
  };
  const unfold = (item) => {
    const parts = item ? all("details", item) : [];
    const open = parts.some((part) => !part.open);
    parts.forEach((part) => { part.open = open; });
  };
  const press = (element) => { element?.click(); return Boolean(element); };

  // ---- Keys ----
  const typing = (element) => element.checkVisibility() // a field of a dialog that closes keeps the focus for a moment
    && (element.isContentEditable || element.matches('input:not([type="checkbox"]), textarea, select'));
  const keys = {
    "/": () => { one("#search-box")?.focus(); one("#search-box")?.select(); },
    "?": () => openSheet(),
    j: () => move(1),
    k: () => move(-1),
    x: (event) => tick(current(), event),
    o: () => press(current() && record(current())),
    v: () => press(current() && one('button[name="view"], button[name="unview"]', current())),
    e: () => unfold(current()),
  };
  let going = 0; // when g was pressed
  const isMac = /Mac|iP/.test(navigator.platform);
  document.addEventListener("keydown", (event) => {
    if (!palette || !event.key || composing(event) || event.defaultPrevented) return; // without a key: a field filled in
    const key = event.key.toLowerCase();
    const chord = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
    if (key === "k" && chord && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      return openPalette();
    }
    if (!single || event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]") || typing(event.target)) return;
    if (going && performance.now() - going < 2000) {
      going = 0;
      const link = one(`.rail a[data-key="${CSS.escape(key)}"]`);
      if (link) event.preventDefault();
      return press(link);
    }
    if (key === "g") { going = performance.now(); return; }
    if (key === "enter" && event.target.matches("li.candidate")) return press(record(event.target));
    if (!Object.hasOwn(keys, key) || (event.shiftKey && !"/?x".includes(key))) return;
    event.preventDefault();
    keys[key](event);
  });
  // An address that names a candidate: the keys go on from there.
  const named = /^#c\d+$/.test(location.hash) && one(`li.candidate${location.hash}`);
  if (named && single && document.activeElement === document.body) stand(named);
})();
