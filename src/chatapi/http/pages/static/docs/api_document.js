// The OpenAPI document as the page uses it: groups, tags and operations, with references resolved.

/**
 * @typedef {Record<string, any>} Schema
 * @typedef {{ mediaType: string, schema: Schema, example: any, encoding: Record<string, any> }} Content
 * @typedef {{ name: string, place: string, required: boolean, prefilled: boolean, deprecated: boolean,
 *   description: string, schema: Schema, isJson: boolean, example: any }} Parameter
 * @typedef {{ status: string, description: string, headers: any[], contents: Content[] }} Answer
 * @typedef {{ id: string, method: string, path: string, tag: string, summary: string,
 *   description: string, deprecated: boolean, access: "none" | "optional" | "required",
 *   parameters: Parameter[], bodies: Content[], bodyRequired: boolean, answers: Answer[] }} Operation
 * @typedef {{ name: string, description: string, operations: Operation[] }} Tag
 */

/** Loads the document of this server. */
export async function loadDocument() {
  // Without options, as in the preload in the head of the page: so it is the same request.
  const response = await fetch("/openapi.json");
  if (!response.ok) {
    throw new Error(`openapi.json: status ${response.status}`);
  }
  return new ApiDocument(await response.json());
}

export class ApiDocument {
  /** @param {any} source */
  constructor(source) {
    this.source = source;
    this.title = source.info?.title ?? "API";
    this.version = source.info?.version ?? "";
    this.description = source.info?.description ?? "";
    /** @type {Map<string, Operation>} */
    this.operations = new Map();
    /** @type {Map<string, Tag>} */
    this.tags = new Map((source.tags ?? []).map((tag) => [tag.name, newTag(tag)]));
    for (const [path, methods] of Object.entries(source.paths ?? {})) {
      for (const [method, operation] of Object.entries(methods)) {
        this.addOperation(path, method, operation);
      }
    }
    this.groups = this.readGroups();
  }

  addOperation(path, method, source) {
    const operation = readOperation(this, path, method, source);
    this.operations.set(operation.id, operation);
    if (!this.tags.has(operation.tag)) {
      this.tags.set(operation.tag, newTag({ name: operation.tag }));
    }
    this.tags.get(operation.tag)?.operations.push(operation);
  }

  /** Tags by the groups of the document; those of no group come last. */
  readGroups() {
    const declared = this.source["x-tagGroups"] ?? [];
    const grouped = new Set(declared.flatMap((group) => group.tags));
    const others = [...this.tags.keys()].filter((name) => !grouped.has(name));
    return [...declared, { name: "More", tags: others }]
      .map((group) => ({ name: group.name, tags: group.tags.map((name) => this.tags.get(name)) }))
      .map((group) => ({ ...group, tags: group.tags.filter((tag) => tag?.operations.length) }))
      .filter((group) => group.tags.length);
  }

  /**
   * What is referred to, or the thing itself. What stands beside a reference overrides it.
   *
   * @param {any} node
   * @returns {any}
   */
  resolve(node) {
    const seen = new Set();
    while (node?.$ref && !seen.has(node.$ref)) {
      seen.add(node.$ref);
      const { $ref: reference, ...beside } = node;
      const target = reference.slice(2).split("/").reduce((part, name) => part?.[name], this.source);
      node = { ...target, ...beside };
    }
    return node ?? {};
  }
}

/** @returns {Tag} */
function newTag(tag) {
  return { name: tag.name, description: tag.description ?? "", operations: [] };
}

/** @returns {Operation} */
function readOperation(api, path, method, source) {
  const body = api.resolve(source.requestBody);
  return {
    id: source.operationId ?? `${method}-${path}`,
    method: method.toUpperCase(),
    path,
    tag: source.tags?.[0] ?? "More",
    summary: source.summary ?? source.operationId ?? path,
    description: source.description ?? "",
    deprecated: Boolean(source.deprecated),
    access: readAccess(source.security ?? api.source.security ?? []),
    parameters: (source.parameters ?? []).map((parameter) => readParameter(api, parameter)),
    bodies: readContents(api, body.content),
    bodyRequired: Boolean(body.required),
    answers: Object.entries(source.responses ?? {}).map(([status, answer]) =>
      readAnswer(api, status, answer),
    ),
  };
}

function readAccess(security) {
  if (!security.length) {
    return "none";
  }
  return security.some((scheme) => !Object.keys(scheme).length) ? "optional" : "required";
}

/** @returns {Parameter} */
function readParameter(api, source) {
  const parameter = api.resolve(source);
  const json = parameter.content?.["application/json"];
  const schema = api.resolve(json?.schema ?? parameter.schema ?? {});
  return {
    name: parameter.name,
    place: parameter.in,
    required: Boolean(parameter.required),
    prefilled: Boolean(parameter.required || parameter["x-prefilled"]),
    deprecated: Boolean(parameter.deprecated ?? schema.deprecated),
    description: parameter.description ?? schema.description ?? "",
    schema,
    isJson: Boolean(json),
    example: declaredExample(api, json ?? parameter, schema),
  };
}

/** @returns {Content[]} */
function readContents(api, content = {}) {
  return Object.entries(content).map(([mediaType, media]) => {
    const schema = api.resolve(media.schema);
    const example = declaredExample(api, media, schema);
    return { mediaType, schema, example, encoding: media.encoding ?? {} };
  });
}

/** @returns {Answer} */
function readAnswer(api, status, source) {
  const answer = api.resolve(source);
  return {
    status,
    description: answer.description ?? "",
    headers: Object.entries(answer.headers ?? {}).map(([name, header]) => ({
      name,
      ...api.resolve(header),
    })),
    contents: readContents(api, answer.content),
  };
}

/** The example of a media type or parameter, else that of its schema, else undefined. */
export function declaredExample(api, place, schema) {
  const [named] = Object.values(place.examples ?? {});
  const candidates = [place.example, api.resolve(named).value, schema.example, schema.examples?.[0]];
  return candidates.find((candidate) => candidate !== undefined);
}
