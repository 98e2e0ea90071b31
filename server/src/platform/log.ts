import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Properties that never reach a log line, in any object. */
const SECRET_PATHS = ['password', 'private_key', 'privateKey', 'passphrase', 'token', 'secret', 'authorization', 'cookie'];

/** The program's log: JSON lines on standard output (or where they are wanted), secrets removed. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS.flatMap((path) => [path, `*.${path}`, `*.*.${path}`]), censor: '[removed]' },
  };
  return destination ? pino(options, destination) : pino(options);
}
