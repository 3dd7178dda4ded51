// Who sends the requests. The key is a variable of this module and nothing else: it is in no storage
// and no address, and a reload forgets it.

/** @type {{ email: string, key: string } | null} */
let credentials = null;
/** @type {Set<() => void>} */
const observers = new Set();

export function logIn(email, key) {
  credentials = { email, key };
  observers.forEach((react) => react());
}

export function logOut() {
  credentials = null;
  observers.forEach((react) => react());
}

/** The email address of the user who is logged in, else null. */
export function currentEmail() {
  return credentials?.email ?? null;
}

/** The header that identifies the user, or undefined. */
export function authorization() {
  return credentials ? basicAuthorization(credentials.email, credentials.key) : undefined;
}

/** @param {string} email @param {string} key */
export function basicAuthorization(email, key) {
  const bytes = new TextEncoder().encode(`${email}:${key}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** @param {() => void} react called after every login and logout */
export function onSessionChange(react) {
  observers.add(react);
  return () => observers.delete(react);
}
