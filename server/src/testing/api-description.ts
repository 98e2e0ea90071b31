import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Schema } from '../http/shapes.ts';

/** A request or answer body in the description. */
export interface DescribedContent {
  readonly type: string;
  readonly schema: Schema;
  readonly examples: readonly unknown[];
}

export interface DescribedOperation {
  readonly id: string;
  readonly method: string;
  /** The path with `{names}`. */
  readonly template: string;
  /** The path with example parameters. */
  readonly path: string;
  readonly isPublic: boolean;
  readonly sent: readonly DescribedContent[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Schema;
    readonly example?: unknown;
  }[];
  /** Answers by status. */
  readonly answers: ReadonlyMap<string, readonly DescribedContent[]>;
}

interface RawContent {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface RawOperation {
  operationId: string;
  security?: unknown[];
  parameters?: DescribedOperation['parameters'];
  requestBody?: { content: Record<string, RawContent> };
  responses: Record<string, { $ref?: string; content?: Record<string, RawContent> }>;
}
export interface RawDescription {
  readonly paths: Readonly<Record<string, Record<string, RawOperation>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, { content: Record<string, RawContent> }>>;
  };
}

const contents = (content: Record<string, RawContent> = {}): DescribedContent[] =>
  Object.entries(content).map(([type, { schema, example, examples = {} }]) => ({
    type,
    schema,
    examples: [
      ...(example === undefined ? [] : [example]),
      ...Object.values(examples).map(({ value }) => value),
    ],
  }));

/** Returns the operations of a description with their examples. */
export function operationsOf(description: RawDescription): DescribedOperation[] {
  return Object.entries(description.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = operation.parameters ?? [];
      const query = parameters.filter(
        (parameter) => parameter.in === 'query' && parameter.example !== undefined,
      );
      const address = template.replace(/\{(\w+)\}/g, (_, name: string) =>
        String(parameters.find((parameter) => parameter.name === name)?.example ?? ''),
      );
      const exampleQuery = new URLSearchParams(
        Object.fromEntries(query.map(({ name, example }) => [name, String(example)])),
      ).toString();
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        template,
        path: exampleQuery ? `${address}?${exampleQuery}` : address,
        isPublic: operation.security?.length === 0,
        sent: contents(operation.requestBody?.content),
        parameters,
        answers: new Map(
          Object.entries(operation.responses).map(([status, { $ref, content }]) => {
            const shared = description.components.responses[$ref?.split('/').at(-1) ?? ''];
            return [status, contents(shared?.content ?? content)];
          }),
        ),
      };
    }),
  );
}

/** Returns a check of values against the description's schemas. */
export function createSchemaCheck(
  description: RawDescription,
): (schema: Schema, value: unknown) => string | undefined {
  // Each check runs a few times: code that is shorter costs more to write than it saves.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  formats.default(ajv);
  ajv.addSchema({ ...description }, 'api');
  // Many operations share a schema in writing, though not the object.
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
    const check = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, check);
    return check(value)
      ? undefined
      : ajv.errorsText(check.errors, { dataVar: 'body' }).slice(0, 400);
  };
}
