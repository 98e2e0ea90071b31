import { stringify } from 'yaml';
import { isList, isObject, type Json, type JsonObject } from '../kube-body.ts';

const MASK = '******';
/** Values of an object that is written with lines. More would block the event loop. */
const MOST_VALUES = 20_000;
/** Keeps the whole object as a client sent it, with the values of a Secret. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const masked = (value: Json | undefined): Json | undefined =>
  isObject(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, MASK])) : undefined;

/** Returns metadata without the fields that only servers read, and without copies of values. */
function metadataOf(metadata: JsonObject, isSecret: boolean): JsonObject {
  const { managedFields: _fields, annotations, ...rest } = metadata;
  if (!isObject(annotations)) return rest;
  const { [LAST_APPLIED]: _applied, ...others } = annotations;
  return { ...rest, annotations: isSecret ? others : annotations };
}

const countOf = (value: Json | undefined): number =>
  isList(value) || isObject(value)
    ? Object.values(value).reduce<number>((sum, child) => sum + countOf(child), 1)
    : 1;

/**
 * Returns an object as YAML for a reader; one with very many values as JSON, which is YAML, too.
 * The values of a Secret are masked.
 */
export function objectYaml(object: JsonObject, { isSecret }: { readonly isSecret: boolean }) {
  const metadata = isObject(object.metadata) ? metadataOf(object.metadata, isSecret) : undefined;
  const result: Record<string, Json | undefined> = { ...object, ...(metadata && { metadata }) };
  if (isSecret)
    for (const part of ['data', 'stringData'] as const)
      if (object[part] !== undefined) result[part] = masked(object[part]) ?? MASK;
  return countOf(result) > MOST_VALUES
    ? `${JSON.stringify(result)}\n`
    : stringify(result, { aliasDuplicateObjects: false, lineWidth: 0 });
}
