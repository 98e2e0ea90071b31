import { connect } from 'node:tls';
import type { Transporter } from 'nodemailer';
import { refuseMetadata } from '../address-policy.ts';
import { datesOfRefusal } from '../certificate-dates.ts';
import { within } from '../within.ts';
import { beginStartTls } from './start-tls.ts';

/** Current settings of the mail server. */
export interface MailAccount {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Blank: the same as `user`. */
  readonly from: string;
  /** TLS from the first byte. */
  readonly ssl: boolean;
  /** STARTTLS; the connection fails without it. */
  readonly startTls: boolean;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Reason why a mail was not sent, with the mail server's message if it sent one. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

/** Timeouts in milliseconds: of each step, and of a mail with all of its steps. */
const TIMEOUTS = { step: 15_000, whole: 60_000 };
const MAX_REASON = 300;

/** Replaces line breaks in a header value by spaces. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

export const isConfigured = (account: MailAccount) => account.host.trim() !== '';

/**
 * Sends one mail as plain text. Certificates are always verified.
 * @throws MailError
 */
export function sendMail(account: MailAccount, mail: Mail, timeouts = TIMEOUTS): Promise<void> {
  return withServer(account, timeouts, async (transport, signal) => {
    await transport.sendMail({
      from: { name: '', address: oneLine(account.from || account.user) },
      to: { name: '', address: mail.to },
      subject: oneLine(mail.subject),
      text: mail.text,
      signal,
    });
  });
}

/**
 * Connects to the mail server and signs in without sending a mail.
 * @throws MailError
 */
export function reachMailServer(account: MailAccount): Promise<void> {
  return withServer(account, TIMEOUTS, async (transport) => {
    await transport.verify();
  });
}

async function withServer(
  account: MailAccount,
  { step, whole }: typeof TIMEOUTS,
  work: (transport: Transporter, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (!isConfigured(account)) throw new MailError('no mail server is set up');
  // Loaded with the first mail: the module takes megabytes, and many servers never send one.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: account.host.trim(),
    port: account.port,
    secure: account.ssl,
    requireTLS: account.startTls && !account.ssl,
    // Without a password there is no sign-in: many relays accept mail from known addresses.
    ...(account.user &&
      account.password && { auth: { user: account.user, pass: account.password } }),
    connectionTimeout: step,
    greetingTimeout: step,
    socketTimeout: step,
    dnsTimeout: step,
    // Texts come from settings and user names. They must not make nodemailer read a file or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await refuseMetadata(account.host.trim());
    // A server that sends a byte now and then ends no step.
    const late = new AbortController();
    await within(work(transport, late.signal), whole, () => {
      late.abort();
      throw new Error(`The mail server took longer than ${whole / 1000} s`);
    });
  } catch (error) {
    const { port, ssl } = account;
    const host = account.host.trim();
    const dates = await datesOfRefusal(error, (signal) =>
      ssl ? connect({ host, port }) : beginStartTls(host, port, signal),
    );
    const text = dates || (error instanceof Error ? error.message : String(error));
    const reason = oneLine(text).slice(0, MAX_REASON);
    throw new MailError(account.password ? reason.replaceAll(account.password, '******') : reason);
  } finally {
    transport.close();
  }
}
