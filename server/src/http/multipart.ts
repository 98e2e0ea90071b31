import type { FastifyInstance } from 'fastify';
import { Rejected } from '../platform/errors.ts';

/** One part of a multipart form. */
export interface Part {
  readonly name: string;
  /** Undefined for a plain field. Only its presence matters, not its value. */
  readonly filename: string | undefined;
  readonly content: Buffer;
}

const MAX_PARTS = 16;
const MAX_HEADER_BYTES = 4_096;
const BOUNDARY =
  /^multipart\/form-data\s*;(?:[^"]*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))/i;
const LINE = Buffer.from('\r\n');
const END_OF_HEADER = Buffer.from('\r\n\r\n');

const malformed = () => new Rejected('malformed_form');

/** Parses a small form strictly by RFC 7578. @throws AppError for any other input */
export function parseMultipart(body: Buffer, contentType: string): Part[] {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (!boundary) throw malformed();
  const opening = Buffer.from(`--${boundary}`);
  const separator = Buffer.from(`\r\n--${boundary}`);
  if (!body.subarray(0, opening.length).equals(opening)) throw malformed();
  const parts: Part[] = [];
  let at = opening.length;
  for (;;) {
    const next = body.subarray(at, at + 2).toString('latin1');
    if (next === '--') return parts;
    if (next !== '\r\n' || parts.length === MAX_PARTS) throw malformed();
    const start = at + LINE.length;
    const headerEnd = body.indexOf(END_OF_HEADER, start);
    if (headerEnd < 0 || headerEnd - start > MAX_HEADER_BYTES) throw malformed();
    const contentStart = headerEnd + END_OF_HEADER.length;
    const end = body.indexOf(separator, contentStart);
    if (end < 0) throw malformed();
    parts.push({
      ...nameOf(body.subarray(start, headerEnd).toString('utf8')),
      content: body.subarray(contentStart, end),
    });
    at = end + separator.length;
  }
}

function nameOf(header: string): Pick<Part, 'name' | 'filename'> {
  const disposition =
    header.split('\r\n').find((line) => /^content-disposition:/i.test(line)) ?? '';
  if (!/^content-disposition:\s*form-data\s*;/i.test(disposition)) throw malformed();
  const name = /;\s*name="([^"\r\n]{1,64})"/i.exec(disposition)?.[1];
  if (!name) throw malformed();
  return { name, filename: /;\s*filename="([^"\r\n]*)"/i.exec(disposition)?.[1] };
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
      (request, body, done) => {
        try {
          done(null, parseMultipart(body as Buffer, request.headers['content-type'] ?? ''));
        } catch (error) {
          done(error as Error, undefined);
        }
      },
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
