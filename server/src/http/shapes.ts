import type { Resource } from '@sallyport/contract';

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** What a body looks like: its schema, and one that could be real. */
export interface Shape {
  readonly schema: Schema;
  readonly example: unknown;
  /** The rows of a resource, whose schema and example the description makes itself. */
  readonly resource?: Resource;
  readonly mediaType?: string;
}

interface Learned {
  readonly types: Set<string>;
  readonly properties: Map<string, Learned>;
  /** How many objects were seen, and how many of them had each property. */
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

/** The shape of a wire type by samples of it; what differs between them (a null, a missing member) may differ. The first is the example. */
export function samples<T>(...examples: readonly [T, ...T[]]): Shape {
  const learned = examples.reduce((into, example) => learn(example, into), nothingLearned());
  return { schema: schemaOf(learned), example: examples[0] };
}

/** An object whose members are the callers' own. */
export function anyObject(example: Readonly<Record<string, unknown>>): Shape {
  return { schema: { type: 'object' }, example };
}

/** One row of a resource. */
export function rowOf(resource: Resource): Shape {
  return { schema: {}, example: undefined, resource };
}

/** Several of something, bare. */
export function listOf(shape: Shape): Shape {
  return { ...shape, schema: { type: 'array', items: shape.schema }, example: [shape.example] };
}

/** A list that is bare without a limit, and an envelope with one. */
export function pagedListOf(shape: Shape): Shape {
  const rows = listOf(shape);
  return { ...rows, schema: { anyOf: [rows.schema, pageSchema(rows.schema)] } };
}

/** The envelope of a page. */
export function pageSchema(results: Schema): Schema {
  const link = { type: ['string', 'null'] };
  return {
    type: 'object',
    properties: { count: { type: 'integer' }, next: link, previous: link, results },
    required: ['count', 'next', 'previous', 'results'],
    additionalProperties: false,
  };
}

/** An answer that is no JSON. */
export function fileOf(mediaType: string, example: string): Shape {
  return { schema: { type: 'string' }, example, mediaType };
}
