import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { OutputFilter, RESTORE_TERMINAL } from '../../contract/src/index.ts';
import { Failure, STATUS } from './failure.ts';
import { t } from './language.ts';
import { note } from './print.ts';
import type { Server } from './server.ts';
import { words } from './words.ts';

const TYPE = 'application/x-asciicast';
const MAX_LINE = 16 * 1_048_576;

export interface ReplayOptions {
  readonly session: string | undefined;
  readonly speed: string;
  /** Maximum seconds without output. */
  readonly idle: string;
}

/** Yields the lines of a recording. @throws Failure for a line that no recording has */
async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > MAX_LINE) throw new Failure(t(words.badRecording));
  }
  if (rest !== '') yield rest;
}

function readNumber(text: string, name: string): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0)
    throw new Failure(t(words.badNumber, { name, value: text }), STATUS.usage);
  return value;
}

/** Warns of a recording that is larger than this terminal. */
function compareSizes(header: { readonly width?: number; readonly height?: number }): void {
  const { columns, rows } = process.stdout;
  const { width = 0, height = 0 } = header;
  if (process.stdout.isTTY && (width > columns || height > rows))
    note(t(words.largerTerminal, { width, height }));
}

/**
 * Plays the recording of a terminal session. Speed 0, and output that is no terminal, do not wait.
 * Sequences that would make the terminal of the viewer answer or change are left out.
 */
export async function replay(
  server: Server,
  { session, speed: speedText, idle: idleText }: ReplayOptions,
): Promise<number> {
  if (session === undefined) throw new Failure(t(words.usageReplay), STATUS.usage);
  const speed = readNumber(speedText, '--speed');
  const idle = readNumber(idleText, '--idle');
  const isLive = speed > 0 && process.stdout.isTTY;
  const path = `terminal/sessions/${encodeURIComponent(session)}/replay/download/`;
  const response = await server.send('GET', path, undefined, true);
  if (!response.headers.get('content-type')?.startsWith(TYPE) || !response.body)
    throw new Failure(t(words.noTerminal));
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const filter = new OutputFilter();
  let last = 0;
  let isHeader = true;
  try {
    for await (const text of linesOf(Readable.fromWeb(response.body))) {
      stop.signal.throwIfAborted();
      if (text.trim() === '') continue;
      const value = parse(text);
      if (isHeader) compareSizes(value as object);
      isHeader = false;
      if (!Array.isArray(value)) continue;
      const [time, type, data]: unknown[] = value;
      if (type !== 'o' || typeof time !== 'number' || typeof data !== 'string') continue;
      if (isLive)
        await wait((Math.min(Math.max(0, time - last), idle) / speed) * 1_000, undefined, {
          signal: stop.signal,
        });
      last = time;
      const output = isLive || process.stdout.isTTY ? filter.filter(data) : data;
      if (!process.stdout.write(output))
        await new Promise<void>((done) => process.stdout.once('drain', done));
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    if (process.stdout.isTTY) process.stdout.write(`${RESTORE_TERMINAL}\r\n`);
  }
  return stop.signal.aborted ? 130 : 0;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(t(words.badRecording));
  }
}
