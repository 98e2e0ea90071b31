import { isConfigured, type Mail, type MailAccount, sendMail } from '../../platform/mail/mail.ts';
import type { SettingsService } from '../../platform/settings/service.ts';

/** Sends mail by the settings in force. */
export interface Mailer {
  isConfigured(): boolean;
  /** @throws MailError */
  send(mail: Mail): Promise<void>;
}

/** The mail server in the settings. */
export function mailAccountOf(settings: SettingsService): MailAccount {
  return {
    host: settings.get('EMAIL_HOST'),
    port: Number(settings.get('EMAIL_PORT')) || 25,
    user: settings.get('EMAIL_HOST_USER'),
    password: settings.get('EMAIL_HOST_PASSWORD'),
    from: settings.get('EMAIL_FROM'),
    ssl: settings.get('EMAIL_USE_SSL'),
    startTls: settings.get('EMAIL_USE_TLS'),
  };
}

/** Creates a mailer that reads the settings for each mail, and prefixes the subject. */
export function createMailer(settings: SettingsService): Mailer {
  return {
    isConfigured: () => isConfigured(mailAccountOf(settings)),
    send: (mail) =>
      sendMail(mailAccountOf(settings), {
        ...mail,
        subject: `${settings.get('EMAIL_SUBJECT_PREFIX')}${mail.subject}`,
      }),
  };
}
