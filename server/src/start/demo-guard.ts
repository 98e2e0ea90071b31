import { type Config, StartError } from '../config.ts';

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/**
 * Rejects a start with sample data where it is dangerous: passwords of sample accounts are public.
 *
 * @throws StartError if other machines reach the listener, or with an external database
 */
export function assertDemoIsSafe(config: Config): void {
  if (!config.demo) return;
  if (!LOOPBACK.test(config.httpHost)) {
    throw new StartError(
      `SALLYPORT_HTTP_HOST is ${config.httpHost}, but the demo has accounts with well-known passwords and is served to this machine only. Leave the variable out, or: SALLYPORT_HTTP_HOST='127.0.0.1'`,
    );
  }
  if (config.databaseUrl !== undefined) {
    throw new StartError(
      'SALLYPORT_DATABASE_URL is set, but sample data is never filled into a database of yours. Leave the variable out for the demo.',
    );
  }
}
