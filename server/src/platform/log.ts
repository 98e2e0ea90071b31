import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** How lines are written: for programs, or for people. */
export type LogFormat = 'json' | 'text';

/** Properties that never reach a log line, in any object. */
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

/** Secrets inside of texts: passwords of addresses, tokens of headers, private keys. */
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

/** Cleans the texts of a line; deeper objects are covered by their names. */
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
 * The program's log: one line for each event on standard output (or where it is wanted), secrets removed. The lines are described in the operator guide.
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
  if (format === 'text') return pino(options, inText(destination ?? process.stdout));
  return destination ? pino(options, destination) : pino(options);
}

/** A property at the top, and one and two levels below. */
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

/** Writes lines for people: time, level, message, and everything else as `name=value`. A line break in a value stays inside of its quotes. */
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
