import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Rejected } from '../platform/errors.ts';

/** One part of a multipart form. */
export interface Part {
  readonly name: string;
  /** Undefined for a plain field. Only its presence matters, not its value. */
  readonly filename: string | undefined;
  readonly content: Buffer;
}

/** Further parts reject the form; further headers, and longer ones, are dropped. */
const LIMITS = { parts: 16, headerPairs: 16, headerSize: 4_096 };
const MAX_NAME = 64;

const malformed = () => new Rejected('malformed_form');

/**
 * Parses a small form (RFC 7578). Ignores parts that are no form data. @throws AppError if the form
 * is incomplete, has too many parts, or has a part without a name
 */
export async function parseMultipart(body: Buffer, contentType: string): Promise<Part[]> {
  const { Busboy } = await import('@fastify/busboy');
  const parts: { name: string; filename: string | undefined; chunks: Buffer[] }[] = [];
  await new Promise<void>((resolve, reject) => {
    const form = new Busboy({
      headers: { 'content-type': contentType },
      limits: LIMITS,
      // Text arrives as bytes, too.
      isPartAFile: () => true,
      preservePath: true,
    });
    form.on('file', (name: string | undefined, stream, filename: string | undefined) => {
      if (!name || name.length > MAX_NAME) return reject();
      const chunks: Buffer[] = [];
      parts.push({ name, filename, chunks });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
    });
    form.on('partsLimit', () => reject());
    form.on('error', reject).on('finish', resolve).end(body);
  }).catch(() => {
    throw malformed();
  });
  return parts.map(({ chunks, ...part }) => ({ ...part, content: Buffer.concat(chunks) }));
}

/** Adds routes that accept multipart forms; other routes reject them. */
export async function withForms(
  app: FastifyInstance,
  bodyLimit: number,
  mount: (app: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (scope) => {
    scope.addContentTypeParser(
      'multipart/form-data',
      { parseAs: 'buffer', bodyLimit },
      (request: FastifyRequest, body: Buffer) =>
        parseMultipart(body, request.headers['content-type'] ?? ''),
    );
    mount(scope);
  });
}

/** Returns the parts of the request's form. @throws AppError if the body is no form */
export function formOf(body: unknown): readonly Part[] {
  if (
    !Array.isArray(body) ||
    !body.every((part) => Buffer.isBuffer((part as Partial<Part> | null)?.content))
  )
    throw malformed();
  return body as Part[];
}

/** Returns the shape of an upload form for the API description. */
export function formShape(properties: Readonly<Record<string, 'file' | 'text'>>, example: string) {
  const schemas = Object.entries(properties).map(
    ([name, kind]) =>
      [name, kind === 'file' ? { type: 'string', format: 'binary' } : { type: 'string' }] as const,
  );
  return {
    schema: { type: 'object', properties: Object.fromEntries(schemas) },
    example,
    mediaType: 'multipart/form-data',
  };
}
