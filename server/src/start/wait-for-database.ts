import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../config.ts';
import type { Logger } from '../platform/log.ts';

const RETRY_MS = 1_000;
/** Interval between log lines. */
const REPORT_MS = 10_000;
const EXAMPLE = "SALLYPORT_DATABASE_URL='postgresql://sallyport:secret@db.example.com/sallyport'";
/** SQLSTATE classes of a server that is starting, stopping, full, or unreachable. */
const TEMPORARY = /^(57P|53|08)/;
/** Error codes of certificates and TLS, which a retry does not fix. */
const TLS = /CERT|TLS|SSL|SELF_SIGNED|ALTNAME/;

/** Returns false if another attempt fails for the same reason, such as a wrong password. */
function isTemporary(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return TEMPORARY.test(error.code ?? '');
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return !TLS.test(code) && !/does not support SSL/.test(message);
}

/**
 * Waits until an external database answers, at most `seconds`: after a power failure it may come
 * up later than this server. Logs the reason at once and every ten seconds.
 *
 * @throws StartError with the reason
 */
export async function waitForDatabase(pool: pg.Pool, seconds: number, log: Logger): Promise<void> {
  const until = performance.now() + seconds * 1_000;
  let nextReport = 0;
  for (;;) {
    try {
      await pool.query('select 1');
      return;
    } catch (error) {
      const reason = error instanceof Error ? error.message || error.name : String(error);
      const canRetry = isTemporary(error);
      const now = performance.now();
      if (!canRetry || now >= until)
        throw new StartError(
          `The database at SALLYPORT_DATABASE_URL does not answer: ${reason}. Example: ${EXAMPLE}`,
          canRetry,
        );
      if (now >= nextReport) {
        nextReport = now + REPORT_MS;
        const left = Math.ceil((until - now) / 1_000);
        log.warn({ reason, seconds: left }, 'waiting for the database');
      }
    }
    await sleep(RETRY_MS);
  }
}
