import { type BodyOf, SETTING_CATEGORIES, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { certificateSentence } from '../../platform/certificate-problem.ts';
import { invalid, Rejected } from '../../platform/errors.ts';
import { MailError, sendMail } from '../../platform/mail/mail.ts';
import { isSamePlace, type SettingsService, SUPER } from '../../platform/settings/service.ts';

const { fields } = SETTING_CATEGORIES.email;
/** The form of the page. It can be tested before it is saved. */
const FORM = { ...fields, EMAIL_PORT: { ...fields.EMAIL_PORT, required: false } };
type MailForm = BodyOf<typeof FORM>;
const ADDRESS = /^[^\s@]+@[^\s@]+$/;

interface Sent {
  readonly msg: string;
}

function recipientOf(form: MailForm): string {
  const first = form.EMAIL_RECIPIENT || form.EMAIL_FROM || form.EMAIL_HOST_USER || '';
  if (!ADDRESS.test(first)) throw invalid('EMAIL_RECIPIENT', 'no_recipient');
  return first;
}

/** The entered password, or the stored one if it belongs to the same server. */
function passwordOf(form: MailForm, settings: SettingsService): string {
  const typed = form.EMAIL_HOST_PASSWORD ?? '';
  const stored = settings.get('EMAIL_HOST_PASSWORD');
  if (typed !== '' || stored === '') return typed;
  // Without a username, no password is sent.
  if (!form.EMAIL_HOST_USER) return '';
  const { EMAIL_PORT = 25, EMAIL_USE_SSL = false, EMAIL_USE_TLS = false, ...rest } = form;
  const destination = { ...rest, EMAIL_PORT, EMAIL_USE_SSL, EMAIL_USE_TLS };
  const saved = Object.fromEntries(
    (
      ['EMAIL_HOST', 'EMAIL_PORT', 'EMAIL_USE_SSL', 'EMAIL_USE_TLS', 'EMAIL_HOST_USER'] as const
    ).map((name) => [name, settings.get(name)]),
  );
  // Otherwise an administrator could send the stored secret to another server, or unencrypted.
  if (!isSamePlace('EMAIL_HOST_PASSWORD', saved, destination))
    throw invalid('EMAIL_HOST_PASSWORD', 'password_for_other_server');
  return stored;
}

/** Sends a real mail with the values of the form. */
export function mountMailTest(app: FastifyInstance, settings: SettingsService): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/settings/mail/testing/',
    access: SUPER,
    area: 'operation',
    summary: 'Send a test mail with the given values. A blank password means the stored one.',
    body: FORM,
    answer: samples<Sent>({ msg: 'A test mail was sent to li.wei@example.com.' }),
    async handler(context: Context): Promise<Sent> {
      const form = readBody(context, FORM);
      if (form.EMAIL_USE_SSL && form.EMAIL_USE_TLS) throw invalid('EMAIL_USE_TLS', 'tls_twice');
      const to = recipientOf(form);
      const account = {
        host: form.EMAIL_HOST,
        port: Number(form.EMAIL_PORT ?? 25),
        user: form.EMAIL_HOST_USER ?? '',
        password: passwordOf(form, settings),
        from: form.EMAIL_FROM ?? '',
        ssl: form.EMAIL_USE_SSL ?? false,
        startTls: form.EMAIL_USE_TLS ?? false,
      };
      const { language } = context;
      try {
        await sendMail(account, {
          to,
          subject: `${settings.get('EMAIL_SUBJECT_PREFIX')}${say({ en: 'Test', zh: '测试' }, language)}`,
          text: say(
            {
              en: 'This is a test of the Sallyport mail settings.',
              zh: '这是一封用于测试 Sallyport 邮件设置的邮件。',
            },
            language,
          ),
        });
      } catch (error) {
        if (error instanceof MailError)
          throw new Rejected('mail_failed', {
            reason: certificateSentence(error, account.host) ?? error.message,
          });
        throw error;
      }
      return {
        msg: say({ en: 'Test mail sent to {to}.', zh: '测试邮件已发送至 {to}。' }, language, {
          to,
        }),
      };
    },
  });
}
