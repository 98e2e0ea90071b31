import { randomBytes } from 'node:crypto';

/** A finished operation: names of routes and kinds, never of users or assets. */
export interface Span {
  readonly name: string;
  readonly kind: 'internal' | 'server';
  readonly context: SpanContext;
  readonly parent?: SpanContext | undefined;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly failed: boolean;
  readonly attributes: Attributes;
}

export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

type Attributes = Readonly<Record<string, string | number>>;

let sink: ((span: Span) => void) | undefined;

/** Receives the spans of this process until the returned function is called. */
export function receiveSpans(receive: (span: Span) => void): () => void {
  sink = receive;
  return () => {
    if (sink === receive) sink = undefined;
  };
}

const idOf = (bytes: number) => randomBytes(bytes).toString('hex');
const newContext = (traceId = idOf(16)): SpanContext => ({ traceId, spanId: idOf(8) });

/** Returns the trace id of a `traceparent` header (W3C Trace Context), if it is valid. */
function traceIdOf(header: unknown): string | undefined {
  const [, trace, span] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(
      typeof header === 'string' ? header : '',
    ) ?? [];
  const isValid = trace && span && /[^0]/.test(trace) && /[^0]/.test(span);
  return isValid ? trace : undefined;
}

interface Answer {
  readonly method: string;
  /** The pattern of the route, without values. */
  readonly route: string | undefined;
  readonly status: number;
  readonly request: string;
  readonly milliseconds: number;
  readonly traceparent: unknown;
}

/** Records the answer to an HTTP request; a no-op while traces are off. */
export function recordAnswer(answer: Answer): void {
  if (!sink) return;
  const { method, route, status, request, milliseconds } = answer;
  const end = Date.now();
  sink({
    name: route === undefined ? method : `${method} ${route}`,
    kind: 'server',
    context: newContext(traceIdOf(answer.traceparent)),
    start: end - milliseconds,
    end,
    failed: status >= 500,
    attributes: {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      'http.response.status_code': status,
      'sallyport.request': request,
    },
  });
}

/** Returns the code of an error. Messages are left out: they contain names. */
function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Za-z_]{1,64}$/.test(code) ? code : 'internal';
}

/** Records the duration and the error code of `work`; calls it only while traces are off. */
export async function traced<Result>(
  { name, attributes = {}, parent }: Pick<Span, 'name' | 'parent'> & { attributes?: Attributes },
  work: (context: SpanContext | undefined) => Promise<Result>,
): Promise<Result> {
  if (!sink) return work(undefined);
  const context = newContext(parent?.traceId);
  const start = Date.now();
  const finish = (more: Attributes, failed: boolean) =>
    sink?.({
      name,
      kind: 'internal',
      context,
      parent,
      start,
      end: Date.now(),
      failed,
      attributes: { ...attributes, ...more },
    });
  try {
    const result = await work(context);
    finish({}, false);
    return result;
  } catch (error) {
    finish({ 'error.type': codeOf(error) }, true);
    throw error;
  }
}
