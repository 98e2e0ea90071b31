import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Format of log lines: JSON for programs, text for operators. */
export type LogFormat = 'json' | 'text';

/** Names of properties that are removed from log lines, in any object. */
const SECRET_PATHS = [
  ...[
    'password',
    'old_password',
    'new_password',
    'private_key',
    'privateKey',
    'passphrase',
    'secret',
    'secret_key',
    'secretKey',
    'access_key',
    'account_key',
  ],
  ...['token', 'authorization', 'cookie', '["set-cookie"]', '["x-csrftoken"]'],
];
const CENSOR = '[removed]';
const STANDARD_OUTPUT = 1;
/** Tries to write to a slow reader of standard output, and milliseconds between them. */
const [MAX_TRIES, RETRY_MS] = [20, 50] as const;

/** Secrets inside texts: passwords in URLs, tokens in headers, private keys. */
const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:)[^\s@/]+@/gi, `$1${CENSOR}@`],
  [/\b(Bearer|Basic|Token) +[A-Za-z0-9._~+/=-]{8,}/g, `$1 ${CENSOR}`],
  [/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/g, CENSOR],
];
const SUSPICIOUS = /:\/\/|Bearer|Basic|Token|PRIVATE KEY/;

function withoutSecrets(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return IN_TEXT.reduce(
    (cleaned, [pattern, replacement]) => cleaned.replace(pattern, replacement),
    text,
  );
}

/**
 * Removes secrets from the texts of a line. Nested objects are covered by the names in
 * `SECRET_PATHS`.
 */
function cleaned(line: Record<string, unknown>): Record<string, unknown> {
  let changed: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(line)) {
    if (typeof value !== 'string') continue;
    const text = withoutSecrets(value);
    if (text === value) continue;
    changed ??= { ...line };
    changed[name] = text;
  }
  return changed ?? line;
}

/**
 * Creates the program's log: one line per event on standard output or `destination`, secrets
 * removed. The operator guide describes the lines.
 */
export function createLog(
  level: string,
  destination?: DestinationStream,
  format: LogFormat = 'json',
): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: cleaned },
    redact: { paths: SECRET_PATHS.flatMap(pathsOf), censor: CENSOR },
  };
  const output = destination ?? standardOutput();
  return pino(options, format === 'text' ? inText(output) : output);
}

/**
 * Standard output. A line that it does not take is lost and does not end the process: its disk may
 * be full, or its reader gone.
 */
function standardOutput(): DestinationStream {
  return {
    write(line) {
      try {
        writeWhole(Buffer.from(line));
      } catch {
        // There is no other place for it.
      }
    },
  };
}

/** Writes bytes, and waits for a slow reader for at most a second. @throws Error */
function writeWhole(bytes: Buffer): void {
  let [written, tries] = [0, 0];
  while (written < bytes.length)
    try {
      written += writeSync(STANDARD_OUTPUT, bytes, written);
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
      if (!isBusy || ++tries > MAX_TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
}

/** Returns the property at the top level, and one and two levels below. */
function pathsOf(path: string): string[] {
  const below = path.startsWith('[') ? path : `.${path}`;
  return [path, `*${below}`, `*.*${below}`];
}

const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO ',
  40: 'WARN ',
  50: 'ERROR',
  60: 'FATAL',
};

/**
 * Writes text lines: time, level, message, and other properties as `name=value`. A line break in a
 * value stays inside its quotes.
 */
function inText(destination: Pick<DestinationStream, 'write'>): DestinationStream {
  return {
    write(line) {
      const { time, level, msg, ...rest } = JSON.parse(line) as {
        time: string;
        level: number;
        msg?: string;
      };
      const more = Object.entries(rest).map(
        ([name, value]) =>
          ` ${name}=${typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)}`,
      );
      destination.write(
        `${time} ${LEVELS[level] ?? level} ${(msg ?? '').replace(/[\r\n]+/g, ' ')}${more.join('')}\n`,
      );
    },
  };
}
