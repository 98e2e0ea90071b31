import { parseDocument } from 'yaml';

/** A body that is refused. The text says why; `status` is the code of the answer. */
export class UnreadableBody extends Error {
  readonly status: 400 | 413 | 415;

  constructor(status: 400 | 413 | 415, text: string) {
    super(text);
    this.status = status;
  }
}

/** Largest body that an API server accepts. */
const MOST_BODY_BYTES = 3 * 1_048_576;
/** Longer YAML would block the event loop. `kubectl` and Helm send JSON. */
const MOST_YAML_CHARACTERS = 262_144;
const MOST_DEPTH = 100;

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Meaning of a body: an object, or a patch of one. */
export type BodyKind = 'object' | 'json-patch' | 'merge' | 'strategic' | 'apply';
const TYPES: Readonly<Record<string, BodyKind>> = {
  'application/json': 'object',
  'application/yaml': 'object',
  'application/json-patch+json': 'json-patch',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

export interface KubeBody {
  readonly kind: BodyKind;
  readonly value: Json;
  /** Content type of the value as JSON. */
  readonly contentType: string;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Copies a parsed value as JSON that we can walk and write again. @throws UnreadableBody */
export function checked(value: unknown, depth = 0): Json {
  if (depth > MOST_DEPTH) throw new UnreadableBody(400, 'The body is nested too deeply.');
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') {
    // A rounded number would reach the API server.
    if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)))
      return value;
    throw new UnreadableBody(400, 'The body has a number that is too large.');
  }
  if (Array.isArray(value)) return value.map((item) => checked(item, depth + 1));
  if (typeof value !== 'object')
    throw new UnreadableBody(400, 'The body has a value that JSON cannot hold.');
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      if (key === '__proto__')
        throw new UnreadableBody(400, 'The body has a key that is not valid.');
      return [key, checked(child, depth + 1)];
    }),
  );
}

function parseYaml(text: string): unknown {
  // Kubernetes reads YAML 1.1, where `yes` is true.
  try {
    const document = parseDocument(text, { version: '1.1' });
    if (document.errors.length + document.warnings.length === 0)
      return document.toJS({ maxAliasCount: 100 });
  } catch {
    // An alias without its anchor, or too many of them.
  }
  throw new UnreadableBody(400, 'The body is not valid YAML.');
}

function parse(text: string, isYaml: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (!isYaml) throw new UnreadableBody(400, 'The body is not valid JSON.');
  }
  if (text.length > MOST_YAML_CHARACTERS)
    throw new UnreadableBody(413, 'The body is too large for YAML: send JSON.');
  return parseYaml(text);
}

/**
 * Reads the body of a request that can hold pods. The API server receives this value, written
 * again, so both sides decide by the same object. @throws UnreadableBody
 */
export function readKubeBody(type: string | undefined, bytes: Buffer, isPatch: boolean): KubeBody {
  const contentType = (type ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
  const kind = TYPES[contentType];
  if (!kind || (kind === 'object') === isPatch)
    throw new UnreadableBody(
      415,
      `The bastion must read pods before the cluster: send JSON or YAML, not ${contentType}.`,
    );
  if (bytes.length > MOST_BODY_BYTES) throw new UnreadableBody(413, 'The body is too large.');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableBody(400, 'The body is not UTF-8.');
  }
  const value = checked(parse(text, contentType.endsWith('yaml')));
  if (kind === 'json-patch' ? !isList(value) : !isObject(value))
    throw new UnreadableBody(400, 'The body is not an object.');
  return { kind, value, contentType: kind === 'object' ? 'application/json' : contentType };
}
