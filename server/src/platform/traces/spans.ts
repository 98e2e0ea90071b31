import { randomBytes } from 'node:crypto';
import { getSystemErrorMessage } from 'node:util';
import { ERRORS, type ErrorCode, say } from '@sallyport/contract';

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
  /** The reason of a failure in English, without names. */
  readonly reason?: string | undefined;
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
      ...(status >= 500 && { 'error.type': String(status) }),
      'sallyport.request': request,
    },
  });
}

interface Failure {
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Returns the code and the text of an error. The names of placeholders replace their values. */
function describe(error: unknown): Pick<Span, 'reason'> & { readonly type: string } {
  const failure = (error ?? {}) as Failure & { readonly problem?: Failure };
  const { code, params = {} } = failure.problem ?? failure;
  if (typeof code !== 'string' || !/^[A-Za-z_]{1,64}$/.test(code))
    return { type: 'internal', reason: ERRORS.internal.en };
  if (Object.hasOwn(ERRORS, code)) {
    const values = Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : name,
    ]);
    const reason = say(ERRORS[code as ErrorCode], 'en', Object.fromEntries(values));
    return { type: code, reason };
  }
  const isSystem = typeof failure.errno === 'number' && failure.errno < 0;
  return { type: code, reason: isSystem ? getSystemErrorMessage(failure.errno) : undefined };
}

/** Records the duration and the failure of `work`; calls it only while traces are off. */
export async function traced<Result>(
  { name, attributes = {}, parent }: Pick<Span, 'name' | 'parent'> & { attributes?: Attributes },
  work: (context: SpanContext | undefined) => Promise<Result>,
): Promise<Result> {
  if (!sink) return work(undefined);
  const context = newContext(parent?.traceId);
  const start = Date.now();
  const finish = (more: Attributes, failed: boolean, reason?: string) =>
    sink?.({
      name,
      kind: 'internal',
      context,
      parent,
      start,
      end: Date.now(),
      failed,
      reason,
      attributes: { ...attributes, ...more },
    });
  try {
    const result = await work(context);
    finish({}, false);
    return result;
  } catch (error) {
    const { type, reason } = describe(error);
    finish({ 'error.type': type }, true, reason);
    throw error;
  }
}
