import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Client } from '../client.ts';
import { until } from '../poll.ts';

/** A received mail. */
export interface Received {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
}

/** A mail server that stores received mails. */
export interface Mailbox {
  readonly port: number;
  readonly mails: Received[];
  /** Waits for the next mail to an address and removes it. */
  next(to: string): Promise<Received>;
  stop(): Promise<void>;
}

const decodeWords = (value: string) =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, kind: string, body: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(body, 'base64').toString()
        : Buffer.from(
            body
              .replaceAll('_', ' ')
              .replace(/=([0-9A-F]{2})/gi, (__, hex: string) =>
                String.fromCharCode(Number.parseInt(hex, 16)),
              ),
            'latin1',
          ).toString(),
    );

function read(raw: string): Pick<Received, 'subject' | 'text'> {
  const [head = '', body = ''] = raw.split(/\r\n\r\n(.*)/s);
  const unfolded = head.replace(/\r\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1] ?? '';
  const encoding = header('Content-Transfer-Encoding').toLowerCase();
  const decoded =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : encoding === 'quoted-printable'
        ? Buffer.from(
            body
              .replace(/=\r\n/g, '')
              .replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
                String.fromCharCode(Number.parseInt(hex, 16)),
              ),
            'latin1',
          ).toString()
        : body;
  return { subject: decodeWords(header('Subject')), text: decoded.replaceAll('\r\n', '\n') };
}

/** Starts a mail server; by default it accepts everything, unencrypted. */
export async function startMailbox(options: SMTPServerOptions = {}): Promise<Mailbox> {
  const mails: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.secure || options.cert ? [] : ['STARTTLS'],
    logger: false,
    ...options,
    onData(stream, session, done) {
      void text(stream).then((raw) => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address).join(),
          ...read(raw),
        });
        done();
      }, done);
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    mails,
    async next(to) {
      const find = () => mails.findIndex((mail) => mail.to === to);
      await until(() => find() >= 0, `a mail to ${to}`);
      const [mail] = mails.splice(find(), 1);
      if (!mail) throw new Error('the mail is gone');
      return mail;
    },
    stop: () => new Promise((settle) => server.close(() => settle())),
  };
}

/** Configures the mail server in the settings. */
export async function useMailbox(
  admin: Client,
  mailbox: Mailbox,
  more: Record<string, unknown> = {},
): Promise<void> {
  const email = {
    EMAIL_HOST: '127.0.0.1',
    EMAIL_PORT: String(mailbox.port),
    EMAIL_FROM: 'sallyport@example.com',
    ...more,
  };
  const { status, text: answer } = await admin.patch('settings/setting/', { email });
  if (status !== 200) throw new Error(`the settings answered ${status} ${answer}`);
}

/** Returns the token in the link of a mail. */
export const tokenIn = (mail: Received) => /#token=([\w-]+)/.exec(mail.text)?.[1] ?? '';
