// The search field with its list of results; `/` focuses it, arrows and Enter choose, Escape closes.
import { el, methodBadge } from "./elements.js";
import { buildIndex, excerpt, search } from "./search_index.js";

/**
 * @param {HTMLElement} place
 * @param {any} api
 * @param {any[]} guides
 */
export function showSearch(place, api, guides) {
  place.append(...new SearchBox(() => buildIndex(api, guides)).elements);
}

class SearchBox {
  constructor(makeIndex) {
    this.makeIndex = makeIndex;
    this.index = null;
    this.current = -1;
    this.input = el("input", {
      id: "search-field",
      type: "search",
      role: "combobox",
      placeholder: "Search  ( / )",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": "Search operations, parameters, texts and guides",
      "aria-expanded": "false",
      "aria-controls": "search-results",
      "aria-autocomplete": "list",
      on: {
        input: () => this.update(),
        focus: () => this.update(),
        keydown: (event) => this.press(event),
      },
    });
    this.list = el("ul", { id: "search-results", role: "listbox", "aria-label": "Results", hidden: true });
    this.count = el("p", { class: "visually-hidden", role: "status" });
    this.elements = [this.input, this.list, this.count];
    this.listenOutside();
  }

  listenOutside() {
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !isTyping(event.target) && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        this.input.focus();
        this.input.select();
      }
    });
    document.addEventListener("click", (event) => {
      if (!this.elements.some((element) => element.contains(event.target))) {
        this.close();
      }
    });
    this.input.addEventListener("blur", (event) => {
      if (!this.list.contains(event.relatedTarget)) {
        this.close();
      }
    });
    // A click must not take the focus first: the list would be gone before it arrives.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
  }

  update() {
    this.index ??= this.makeIndex();
    const query = this.input.value.trim();
    const hits = search(this.index, query);
    this.current = -1;
    this.list.replaceChildren(...hits.map((hit, place) => this.option(hit, place, query)));
    this.list.hidden = !query;
    this.input.setAttribute("aria-expanded", String(Boolean(query)));
    this.input.removeAttribute("aria-activedescendant");
    this.count.textContent = query ? `${hits.length} results` : "";
    if (query && !hits.length) {
      this.list.append(el("li", { class: "none", role: "option", "aria-disabled": "true", "aria-selected": "false" }, "Nothing found"));
    }
    this.move(1);
  }

  option({ page, passage }, place, query) {
    const text = [passage.kind, passage.name !== page.title && passage.name, passage.text && excerpt(passage.text, query)];
    return el(
      "li",
      { id: `search-result-${place}`, role: "option", "aria-selected": "false", "data-href": page.href, on: { click: () => this.go(page.href) } },
      el("span", { class: "title" }, page.method && methodBadge(page.method), el("strong", {}, page.title)),
      el("span", { class: "detail" }, page.detail),
      el("span", { class: "excerpt" }, text.filter(Boolean).join(" · ")),
    );
  }

  press(event) {
    const options = this.list.querySelectorAll("[data-href]");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      this.move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && options[this.current]) {
      event.preventDefault();
      this.go(options[this.current].dataset.href);
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.input.value = "";
      this.close();
    }
  }

  move(step) {
    const options = this.list.querySelectorAll("[data-href]");
    if (!options.length) {
      return;
    }
    options[this.current]?.setAttribute("aria-selected", "false");
    this.current = (this.current + step + options.length) % options.length;
    options[this.current].setAttribute("aria-selected", "true");
    options[this.current].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", options[this.current].id);
  }

  go(href) {
    this.close();
    this.input.blur();
    location.hash = href;
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}

function isTyping(target) {
  return target instanceof Element && target.matches("input, textarea, select");
}
