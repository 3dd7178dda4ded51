// The login: an API key as it is, or a password that is exchanged for one.
import { el, newId } from "./elements.js";
import { rememberId } from "./remembered_ids.js";
import { basicAuthorization, currentEmail, logIn, logOut, onSessionChange } from "./session.js";

const KEY_ENDPOINT = "/api/v1/fetch_api_key";

/** Shows who is logged in, with a button that opens the dialog. */
export function showSession(place) {
  const dialog = loginDialog();
  const show = () => {
    const email = currentEmail();
    place.replaceChildren(
      ...(email
        ? [
            el("span", { class: "who", title: email }, email),
            el("button", { type: "button", id: "log-out", on: { click: logOut } }, "Log out"),
          ]
        : [el("button", { type: "button", id: "log-in", class: "primary", on: { click: () => dialog.showModal() } }, "Log in")]),
    );
  };
  document.body.append(dialog);
  onSessionChange(show);
  show();
}

export function openLogin() {
  /** @type {HTMLDialogElement} */ (document.getElementById("login")).showModal();
}

function loginDialog() {
  const email = textField("Email", { name: "email", type: "email", autocomplete: "username", required: true });
  const key = textField("API key", { name: "key", type: "password", autocomplete: "off" });
  const password = textField("or password", {
    name: "password",
    type: "password",
    autocomplete: "current-password",
  });
  const problem = el("p", { class: "problem", role: "alert" });
  const titleId = newId("title");
  const form = el(
    "form",
    { method: "dialog" },
    el("h2", { id: titleId }, "Log in"),
    el("p", {}, "Requests of this page are sent as this user. The first start of the server shows the owner's key and password."),
    email.row,
    key.row,
    password.row,
    problem,
    el(
      "p",
      { class: "quiet" },
      "The key stays in the memory of this tab. It is not stored, and is gone after a reload. A password is sent once, to get a key.",
    ),
    el(
      "div",
      { class: "buttons" },
      el("button", { type: "submit", class: "primary" }, "Log in"),
      el("button", { type: "button", on: { click: () => dialog.close() } }, "Cancel"),
    ),
  );
  const dialog = el("dialog", { id: "login", "aria-labelledby": titleId }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    try {
      await logInWith(email.input.value.trim(), key.input.value.trim(), password.input.value);
      form.reset();
      dialog.close();
    } catch (error) {
      problem.textContent = error.message;
    }
  });
  return dialog;
}

async function logInWith(email, key, password) {
  if (!key && !password) {
    throw new Error("Enter an API key or a password.");
  }
  const checked = key || (await fetchKey(email, password));
  await checkLogin(email, checked);
  // Only now: a user who sees that they are logged in can use the page, which the dialog covers until then.
  logIn(email, checked);
}

/** Fails if the key is wrong; else the user's own id is known from now on. */
async function checkLogin(email, key) {
  const headers = { Authorization: basicAuthorization(email, key) };
  const response = await fetch("/api/v1/users/me", { headers, credentials: "omit" });
  const answer = await response.json();
  if (response.status === 401) {
    throw new Error(answer.msg);
  }
  rememberId("user_id", answer.user_id);
}

async function fetchKey(email, password) {
  const response = await fetch(KEY_ENDPOINT, {
    method: "POST",
    credentials: "omit",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username: email, password }),
  });
  const answer = await response.json();
  if (!response.ok) {
    throw new Error(answer.msg);
  }
  return answer.api_key;
}

function textField(label, attributes) {
  const id = newId("login");
  const input = el("input", { id, spellcheck: "false", ...attributes });
  return { input, row: el("div", { class: "field" }, el("label", { for: id }, label), input) };
}
