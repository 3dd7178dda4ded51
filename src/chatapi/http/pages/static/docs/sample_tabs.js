// The code samples in tabs; the chosen language stays chosen from one operation to the next.
import { curlSample, javascriptSample, pythonSample } from "./code_samples.js";
import { copyButton } from "./copy_button.js";
import { el, newId } from "./elements.js";

const LANGUAGES = [
  { name: "curl", write: curlSample },
  { name: "Python", write: pythonSample },
  { name: "JavaScript", write: javascriptSample },
];

let chosen = 0;

/** Tabs with the code for a request; `show(draft)` writes it anew. */
export function sampleTabs() {
  const panelId = newId("sample");
  const code = el("code", {});
  const panel = el("div", { role: "tabpanel", id: panelId, class: "sample" }, el("pre", { class: "wrapped", tabindex: "0", role: "region", "aria-label": "Code" }, code), copyButton(() => code.textContent));
  let draft = null;
  const tabs = LANGUAGES.map(({ name }, index) =>
    el("button", { type: "button", role: "tab", id: `${panelId}-${index}`, "aria-controls": panelId, on: { click: () => choose(index) } }, name),
  );
  const choose = (index) => {
    chosen = index;
    tabs.forEach((tab, place) => {
      tab.setAttribute("aria-selected", String(place === index));
      tab.tabIndex = place === index ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", tabs[index].id);
    code.textContent = draft ? LANGUAGES[index].write(draft) : "";
  };
  const list = el("div", { role: "tablist", class: "tabs", "aria-label": "Language", on: { keydown: (event) => moveBetween(event, tabs, choose) } }, tabs);
  choose(chosen);
  return {
    element: el("div", { class: "samples" }, list, panel),
    show: (newDraft) => {
      draft = newDraft;
      choose(chosen);
    },
  };
}

function moveBetween(event, tabs, choose) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step) {
    event.preventDefault();
    const next = (chosen + step + tabs.length) % tabs.length;
    choose(next);
    tabs[next].focus();
  }
}
