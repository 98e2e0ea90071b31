import type { Logger } from '../log.ts';
import { defineCounter } from '../metrics/open-metrics.ts';
import { RELEASE } from '../release.ts';
import type { Span } from './spans.ts';

/** Spans that wait; further ones are dropped and counted. */
export const MAX_WAITING = 2048;
const MAX_BATCH = 512;
const EVERY_MILLISECONDS = 2_000;
const TIMEOUT_MILLISECONDS = 10_000;
/** A stopping server waits this long for its last batch. */
const STOP_MILLISECONDS = 2_000;

const spans = defineCounter(
  'sallyport_trace_spans_total',
  'Finished spans of traces, by whether the collector took them or they were dropped.',
);

export interface ExporterOptions {
  /** The OTLP/HTTP endpoint of traces. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly log: Logger;
}

export interface Exporter {
  add(span: Span): void;
  stop(): Promise<void>;
}

const nanoseconds = (milliseconds: number) => `${Math.round(milliseconds * 1_000)}000`;
const attributesOf = (attributes: Readonly<Record<string, string | number>>) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));

/** Writes spans as OTLP JSON, whose enumerations are numbers. */
function otlpOf(batch: readonly Span[]): string {
  const written = batch.map(({ context, parent, kind, start, end, failed, reason, ...span }) => ({
    ...context,
    ...(parent && { parentSpanId: parent.spanId }),
    name: span.name,
    kind: kind === 'server' ? 2 : 1,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: attributesOf(span.attributes),
    status: failed ? { code: 2, ...(reason && { message: reason }) } : {},
  }));
  const resource = { 'service.name': 'sallyport', 'service.version': RELEASE.version };
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'sallyport' }, spans: written }],
      },
    ],
  });
}

/** Sends spans in batches, one at a time. Requests never wait for it. */
export function createExporter({ url, headers, log }: ExporterOptions): Exporter {
  const waiting: Span[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let isWell = true;

  const post = async (batch: readonly Span[], timeout: number) => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: otlpOf(batch),
        redirect: 'error',
        signal: AbortSignal.timeout(timeout),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      spans.add({ result: 'sent' }, batch.length);
      isWell = true;
    } catch (error) {
      spans.add({ result: 'dropped' }, batch.length);
      // The URL and the headers may hold secrets, and so may messages.
      const reason = /^status \d+$/.exec((error as Error).message)?.[0] ?? (error as Error).name;
      if (isWell) log.warn({ reason }, 'the collector of traces does not take them');
      isWell = false;
    }
  };
  const schedule = () => {
    if (timer || sending || waiting.length === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      sending = post(waiting.splice(0, MAX_BATCH), TIMEOUT_MILLISECONDS).finally(() => {
        sending = undefined;
        schedule();
      });
    }, EVERY_MILLISECONDS).unref();
  };
  return {
    add(span) {
      if (waiting.length >= MAX_WAITING) spans.add({ result: 'dropped' });
      else waiting.push(span);
      schedule();
    },
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      const last = waiting.splice(0);
      if (last.length > 0) await post(last, STOP_MILLISECONDS);
    },
  };
}
