// What a schema says, in words and as a sample value.

/** @typedef {import("./api_document.js").Schema} Schema */

const DEEPEST_SAMPLE = 6;

/**
 * The type in a few words, such as `array of integers or string`.
 *
 * @param {any} api
 * @param {Schema} schema
 * @returns {string}
 */
export function typeText(api, schema) {
  const resolved = api.resolve(schema);
  const choices = alternatives(resolved);
  if (choices) {
    const texts = choices.map((choice) => typeText(api, choice));
    const distinct = [...new Set(texts)];
    return distinct.length > 3 ? `one of ${distinct.length} types` : distinct.join(" or ");
  }
  if ("const" in resolved) {
    return JSON.stringify(resolved.const);
  }
  const types = [resolved.type ?? (resolved.properties ? "object" : "any")].flat();
  return types.map((type) => namedType(api, resolved, type)).join(" or ");
}

function namedType(api, schema, type) {
  if (type === "array") {
    return `array of ${plural(typeText(api, schema.items ?? {}))}`;
  }
  if (type === "object" && schema.additionalProperties && !schema.properties) {
    const inside = schema.additionalProperties === true ? {} : schema.additionalProperties;
    return `object of ${plural(typeText(api, inside))}`;
  }
  if (type === "string" && schema.format === "binary") {
    return "file";
  }
  return type;
}

function plural(text) {
  return /^(integer|string|boolean|number|object|file)$/.test(text) ? `${text}s` : text;
}

/**
 * The schemas of which one applies, or undefined.
 *
 * @param {Schema} schema
 * @returns {Schema[] | undefined}
 */
export function alternatives(schema) {
  return schema.oneOf ?? schema.anyOf;
}

/**
 * The variants of a union with the label that tells them apart; null is no variant of its own.
 *
 * @param {any} api
 * @param {Schema} schema
 * @returns {{ label: string, schema: Schema }[]}
 */
export function variantsOf(api, schema) {
  const choices = (alternatives(schema) ?? []).filter((choice) => api.resolve(choice).type !== "null");
  const { propertyName, mapping = {} } = schema.discriminator ?? {};
  const byReference = new Map(Object.entries(mapping).map(([value, target]) => [target, value]));
  return choices.map((choice) => {
    const value = byReference.get(choice.$ref);
    return {
      label: value === undefined ? typeText(api, choice) : `${propertyName}: ${JSON.stringify(value)}`,
      schema: choice,
    };
  });
}

/**
 * What limits the values of a schema, and its default, in words.
 *
 * @param {Schema} schema
 * @returns {string[]}
 */
export function limitsOf(schema) {
  const limits = [];
  const range = rangeText(schema.minimum, schema.maximum);
  const length = rangeText(schema.minLength, schema.maxLength);
  const count = rangeText(schema.minItems, schema.maxItems);
  if (range) limits.push(range);
  if (length) limits.push(`${length} characters`);
  if (count) limits.push(`${count} items`);
  if (schema.pattern) limits.push(`matches ${schema.pattern}`);
  if (schema.format && !["binary", "int64"].includes(schema.format)) limits.push(schema.format);
  if (schema.default !== undefined && schema.default !== null) {
    limits.push(`default ${JSON.stringify(schema.default)}`);
  }
  return limits;
}

function rangeText(least, most) {
  // The bounds of 64 bits are those of every integer here.
  const hasMost = most !== undefined && most < 2 ** 53;
  const hasLeast = least !== undefined && least > -(2 ** 53);
  if (hasLeast && hasMost) {
    return least === most ? `${least}` : `${least} to ${most}`;
  }
  if (hasMost) {
    return `at most ${most}`;
  }
  return hasLeast && least !== 0 ? `at least ${least}` : "";
}

/**
 * A valid value: the declared example, else one made from the schema.
 *
 * @param {any} api
 * @param {Schema} schema
 * @param {{ name?: string, onlyRequired?: boolean, depth?: number }} [options]
 * @returns {any}
 */
export function sampleOf(api, schema, options = {}) {
  const { name = "text", onlyRequired = false, depth = 0 } = options;
  const resolved = api.resolve(schema);
  const declared = [resolved.example, resolved.examples?.[0], resolved.const, resolved.enum?.[0]];
  const found = declared.find((value) => value !== undefined);
  if (found !== undefined) {
    return found;
  }
  if (resolved.default !== undefined && resolved.default !== null) {
    return resolved.default;
  }
  const choices = alternatives(resolved);
  if (choices) {
    return sampleOf(api, choices[0], { ...options, depth: depth + 1 });
  }
  return plainSample(api, resolved, { name, onlyRequired, depth });
}

function plainSample(api, schema, { name, onlyRequired, depth }) {
  switch ([schema.type].flat()[0]) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? 1);
    case "array":
      return depth > DEEPEST_SAMPLE
        ? []
        : [sampleOf(api, schema.items ?? {}, { name, onlyRequired, depth: depth + 1 })];
    case "null":
      return null;
    case "string":
      return name.replaceAll("_", " ").slice(0, schema.maxLength);
    default:
      return objectSample(api, schema, { onlyRequired, depth });
  }
}

function objectSample(api, schema, { onlyRequired, depth }) {
  if (depth > DEEPEST_SAMPLE) {
    return {};
  }
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties ?? {})
    .filter(([name]) => !onlyRequired || required.has(name))
    // It is only there if a request has unknown parameters.
    .filter(([name]) => name !== "ignored_parameters_unsupported")
    .map(([name, member]) => [name, sampleOf(api, member, { name, onlyRequired, depth: depth + 1 })]);
  return Object.fromEntries(members);
}
