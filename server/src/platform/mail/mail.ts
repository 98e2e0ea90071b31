import type { Transporter } from 'nodemailer';

/** The mail server as the settings name it at this moment. */
export interface MailAccount {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Blank: the user. */
  readonly from: string;
  /** TLS from the first byte on. */
  readonly ssl: boolean;
  /** TLS by STARTTLS, and nothing without it. */
  readonly startTls: boolean;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Why a mail was not sent, with the mail server's message where there is one. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

/** A mail server that is reachable answers at once; longer waiting does not help. */
const TIMEOUT = 15_000;
const MAX_REASON = 300;

/** A header value on one line, even if line breaks were typed. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/** Whether enough is known to try. */
export const isConfigured = (account: MailAccount) => account.host.trim() !== '';

/** Sends one mail as plain text. Certificates are always verified. @throws MailError */
export function sendMail(account: MailAccount, mail: Mail): Promise<void> {
  return withServer(account, async (transport) => {
    await transport.sendMail({
      from: { name: '', address: oneLine(account.from || account.user) },
      to: { name: '', address: mail.to },
      subject: oneLine(mail.subject),
      text: mail.text,
    });
  });
}

/** Connects to the mail server and signs in as for a mail, and sends none. @throws MailError */
export function reachMailServer(account: MailAccount): Promise<void> {
  return withServer(account, async (transport) => {
    await transport.verify();
  });
}

async function withServer(
  account: MailAccount,
  work: (transport: Transporter) => Promise<void>,
): Promise<void> {
  if (!isConfigured(account)) throw new MailError('no mail server is set up');
  // Read when the first mail leaves: it takes megabytes, and many servers never send one.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: account.host.trim(),
    port: account.port,
    secure: account.ssl,
    requireTLS: account.startTls && !account.ssl,
    // Without a password there is nothing to sign in with; many relays take mail from a known address as it is.
    ...(account.user &&
      account.password && { auth: { user: account.user, pass: account.password } }),
    connectionTimeout: TIMEOUT,
    greetingTimeout: TIMEOUT,
    socketTimeout: TIMEOUT,
    dnsTimeout: TIMEOUT,
    // Texts come from settings and names of people: nothing in them may fetch a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await work(transport);
  } catch (error) {
    const reason = oneLine(error instanceof Error ? error.message : String(error)).slice(
      0,
      MAX_REASON,
    );
    throw new MailError(account.password ? reason.replaceAll(account.password, '******') : reason);
  } finally {
    transport.close();
  }
}
