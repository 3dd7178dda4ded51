// A button that copies a text.
import { el } from "./elements.js";

const SHOWN_MILLISECONDS = 1500;

/** @param {() => string} text */
export function copyButton(text) {
  const button = el("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      // Browsers offer the clipboard only to pages served over TLS or from this machine.
      button.textContent = "Select and copy by hand";
    }
    setTimeout(() => (button.textContent = "Copy"), SHOWN_MILLISECONDS);
  });
  return button;
}
