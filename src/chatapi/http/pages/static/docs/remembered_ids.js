// Ids of earlier responses, with which later requests are prefilled: the queue that was registered, the
// message that was sent.

/** @type {Map<string, string | number>} */
const ids = new Map();

/**
 * Keeps the ids in a response; `id` belongs to the noun of the path.
 *
 * @param {import("./api_document.js").Operation} operation
 * @param {any} answer
 */
export function rememberIds(operation, answer) {
  if (answer?.result !== "success") {
    return;
  }
  const noun = operation.path.split("/").pop()?.replace(/s$/, "");
  for (const [key, value] of Object.entries(answer)) {
    if (typeof value === "string" || typeof value === "number") {
      if (key.endsWith("_id")) {
        ids.set(key, value);
      } else if (key === "id" && operation.method === "POST") {
        ids.set(`${noun}_id`, value);
      }
    }
  }
}

/**
 * Keeps an id that is known in another way.
 *
 * @param {string} name
 * @param {string | number | undefined} id
 */
export function rememberId(name, id) {
  if (id !== undefined) {
    ids.set(name, id);
  }
}

/** @param {string} name */
export function rememberedId(name) {
  return ids.get(name);
}
