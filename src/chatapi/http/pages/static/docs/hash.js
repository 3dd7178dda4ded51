// The part of an address behind the number sign.
/**
 * What the hash of an address names, without the `#`.
 *
 * @param {string} hash As `location.hash` has it; an invalid escape, such as in a link that was cut off, stays as it is.
 * @returns {string}
 */
export function decodeHash(hash) {
  const name = hash.slice(1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
