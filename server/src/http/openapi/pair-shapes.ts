import { type Fields, type Resource, readableFields } from '@sallyport/contract';
import { listOf, pagedListOf, type Shape } from '../shapes.ts';
import { exampleRow, exampleValue } from './examples.ts';
import { bodySchema, rowSchema } from './schemas.ts';

/** Shapes of request and answer for the pairs of a relation. */
export interface PairShapes {
  /** One pair or several. */
  readonly sent: Shape;
  readonly one: Shape;
  readonly oneOrMany: Shape;
  readonly list: Shape;
  /** Both ends of a pair, as query parameters. */
  readonly ends: Fields;
}

/** Returns the shapes of a relation's pairs. `fixed` names the end that the path holds. */
export function pairShapesOf(pair: Resource, fixed?: string): PairShapes {
  const writable = readableFields(pair, true).filter(
    ([name, field]) => field.mode !== 'readonly' && name !== fixed,
  );
  const body: Shape = {
    schema: bodySchema(Object.fromEntries(writable)),
    example: Object.fromEntries(writable.map(([name, field]) => [name, exampleValue(field, name)])),
  };
  const one: Shape = { schema: rowSchema(pair), example: exampleRow(pair) };
  const orMany = (shape: Shape): Shape => ({
    ...shape,
    schema: { anyOf: [shape.schema, listOf(shape).schema] },
  });
  return {
    sent: orMany(body),
    one,
    oneOrMany: orMany(one),
    list: pagedListOf(one),
    ends: Object.fromEntries(writable),
  };
}
