import { execFile } from 'node:child_process';
import { type ReadCertificate, readCertificate, type UserCertificateFacts } from '@sallyport/ssh';
import { Rejected } from '../../platform/errors.ts';

const COMMAND_MS = 10_000;
const COMMAND_BYTES = 64 * 1024;
/** Tolerated difference between our clock and the one of the authority. */
const CLOCK_SECONDS = 60;

/** The request to an outside authority. */
export interface OutsideRequest extends UserCertificateFacts {
  /** An OpenSSH line. */
  readonly publicKey: string;
  readonly organization: string;
  readonly systemUser: string;
  readonly username: string;
  readonly asset: string;
  /** The session and its user; null for remote work. */
  readonly session: string | null;
  readonly user: string | null;
}

/**
 * Asks an outside authority for a certificate: gives its program the request as JSON on standard
 * input, and checks the certificate that it prints. @throws Rejected
 */
export async function askOutside(
  command: readonly string[],
  request: OutsideRequest,
): Promise<{ readonly certificate: Buffer; readonly facts: ReadCertificate }> {
  const printed = await run(
    command,
    `${JSON.stringify({
      public_key: request.publicKey,
      serial: String(request.serial),
      key_id: request.keyId,
      principals: request.principals,
      valid_after: new Date(request.validAfter * 1000).toISOString(),
      valid_before: new Date(request.validBefore * 1000).toISOString(),
      extensions: request.extensions,
      organization: request.organization,
      system_user: request.systemUser,
      username: request.username,
      asset: request.asset,
      session: request.session,
      user: request.user,
    })}\n`,
  );
  const [, body = ''] = printed.trim().split(/\s+/);
  const certificate = Buffer.from(body, 'base64');
  const facts = readCertificate(certificate);
  if (!facts) throw new Rejected('ssh_authority_unreadable');
  const now = Date.now() / 1000;
  if (!facts.publicKey.equals(Buffer.from(request.publicKey.split(' ')[1] ?? '', 'base64')))
    throw new Rejected('ssh_authority_key');
  if (!facts.isUser) throw new Rejected('ssh_authority_type');
  if (facts.validBefore > request.validBefore + CLOCK_SECONDS)
    throw new Rejected('ssh_authority_validity');
  if (facts.validAfter > now + CLOCK_SECONDS || facts.validBefore <= now)
    throw new Rejected('ssh_authority_expired');
  const missing = request.principals.find((name) => !facts.principals.includes(name));
  if (missing !== undefined) throw new Rejected('ssh_authority_principal', { name: missing });
  return { certificate, facts };
}

/** Returns what a program prints. Errors never hold its output. */
function run([program = '', ...words]: readonly string[], input: string): Promise<string> {
  return new Promise((done, failed) => {
    const child = execFile(
      program,
      words,
      // A program may ignore SIGTERM, and the user would wait for it.
      { timeout: COMMAND_MS, killSignal: 'SIGKILL', maxBuffer: COMMAND_BYTES },
      (error, stdout) => {
        if (!error) return done(stdout);
        const reason =
          error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'
            ? `> ${COMMAND_BYTES / 1024} KiB`
            : error.killed
              ? `> ${COMMAND_MS / 1000} s`
              : String(error.code ?? error.signal);
        failed(new Rejected('ssh_authority_failed', { reason }));
      },
    );
    // A program may end without reading its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
