import type { Resource } from '@sallyport/contract';

export type Schema = Readonly<Record<string, unknown>>;

/** The schema of a body, with an example. */
export interface Shape {
  readonly schema: Schema;
  readonly example: unknown;
  /** Set for rows of a resource; the description generates their schema and example. */
  readonly resource?: Resource;
  readonly mediaType?: string;
}

interface Learned {
  readonly types: Set<string>;
  readonly properties: Map<string, Learned>;
  /** Number of objects seen, and number of objects with each property. */
  objects: number;
  readonly present: Map<string, number>;
  items: Learned | undefined;
}

const nothingLearned = (): Learned => ({
  types: new Set(),
  properties: new Map(),
  objects: 0,
  present: new Map(),
  items: undefined,
});

function learn(from: unknown, into: Learned): Learned {
  if (Array.isArray(from)) {
    into.types.add('array');
    for (const item of from) into.items = learn(item, into.items ?? nothingLearned());
  } else if (typeof from === 'object' && from !== null) {
    into.types.add('object');
    into.objects++;
    for (const [name, value] of Object.entries(from)) {
      into.properties.set(name, learn(value, into.properties.get(name) ?? nothingLearned()));
      into.present.set(name, (into.present.get(name) ?? 0) + 1);
    }
  } else into.types.add(from === null ? 'null' : typeof from);
  return into;
}

function schemaOf(learned: Learned): Schema {
  const types = [...learned.types];
  const required = [...learned.present]
    .filter(([, times]) => times === learned.objects)
    .map(([name]) => name);
  return {
    type: types.length === 1 ? types[0] : types,
    ...(learned.properties.size > 0 && {
      properties: Object.fromEntries(
        [...learned.properties].map(([name, property]) => [name, schemaOf(property)]),
      ),
    }),
    ...(required.length > 0 && { required }),
    ...(learned.items && { items: schemaOf(learned.items) }),
  };
}

/**
 * Derives the shape of a wire type from samples. Differences between samples, such as null or
 * missing members, become optional. The first sample is the example.
 */
export function samples<T>(...examples: readonly [T, ...T[]]): Shape {
  const learned = examples.reduce((into, example) => learn(example, into), nothingLearned());
  return { schema: schemaOf(learned), example: examples[0] };
}

/** Returns the shape of an object with arbitrary members. */
export function anyObject(example: Readonly<Record<string, unknown>>): Shape {
  return { schema: { type: 'object' }, example };
}

export function rowOf(resource: Resource): Shape {
  return { schema: {}, example: undefined, resource };
}

/** Returns the shape of a bare list. */
export function listOf(shape: Shape): Shape {
  return { ...shape, schema: { type: 'array', items: shape.schema }, example: [shape.example] };
}

/** Returns the shape of a list: bare without a limit, a page with one. */
export function pagedListOf(shape: Shape): Shape {
  const rows = listOf(shape);
  return { ...rows, schema: { anyOf: [rows.schema, pageSchema(rows.schema)] } };
}

export function pageSchema(results: Schema): Schema {
  const link = { type: ['string', 'null'] };
  return {
    type: 'object',
    properties: { count: { type: 'integer' }, next: link, previous: link, results },
    required: ['count', 'next', 'previous', 'results'],
    additionalProperties: false,
  };
}

/** Returns the shape of an answer that is not JSON. */
export function fileOf(mediaType: string, example: string): Shape {
  return { schema: { type: 'string' }, example, mediaType };
}
