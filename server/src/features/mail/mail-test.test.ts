import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { type Mailbox, startMailbox } from '../../testing/services/mailbox.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const URL = 'settings/mail/testing/';
const PASSWORD = 'smtp hunter2';

let test: TestProgram;
let admin: Client;
let mailbox: Mailbox;
const accepted: string[] = [];
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  mailbox = await startMailbox({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username = '', password = '' }, _session, done) {
      if (password !== PASSWORD) return done(new Error('Wrong password'));
      accepted.push(username);
      done(null, { user: username });
    },
  });
});
afterAll(async () => {
  await test.stop();
  await mailbox.stop();
});

const form = (more: Json = {}): Json => ({
  EMAIL_HOST: '127.0.0.1',
  EMAIL_PORT: String(mailbox.port),
  EMAIL_HOST_USER: 'robot@example.com',
  EMAIL_HOST_PASSWORD: PASSWORD,
  EMAIL_FROM: '',
  EMAIL_RECIPIENT: 'ops@example.com',
  EMAIL_USE_SSL: false,
  EMAIL_USE_TLS: false,
  ...more,
});

describe('the mail test', () => {
  it('sends a mail with the values of the form before they are saved', async () => {
    const { status, body } = await admin.post<{ msg: string }>(URL, form());
    expect([status, body.msg]).toEqual([200, 'Test mail sent to ops@example.com.']);
    expect(await mailbox.next('ops@example.com')).toMatchObject({
      from: 'robot@example.com',
      subject: '[Sallyport] Test',
    });
    expect(accepted).toEqual(['robot@example.com']);
    expect(
      (await admin.with({ 'accept-language': 'zh' }).post<{ msg: string }>(URL, form())).body.msg,
    ).toBe('测试邮件已发送至 ops@example.com。');
    expect((await mailbox.next('ops@example.com')).text).toContain('测试');
  });

  it('sends to the sender or the user without a recipient, and accepts a number as port', async () => {
    await admin.post(
      URL,
      form({ EMAIL_RECIPIENT: '', EMAIL_FROM: 'sender@example.com', EMAIL_PORT: mailbox.port }),
    );
    expect(await mailbox.next('sender@example.com')).toMatchObject({ from: 'sender@example.com' });
    await admin.post(URL, form({ EMAIL_RECIPIENT: '' }));
    await mailbox.next('robot@example.com');
    const { status, body } = await admin.post(
      URL,
      form({ EMAIL_RECIPIENT: '', EMAIL_HOST_USER: 'robot' }),
    );
    expect([status, Object.keys(body)]).toEqual([400, ['EMAIL_RECIPIENT']]);
  });

  it('returns the words of the mail server, without the password', async () => {
    const { status, body, text } = await admin.post<{ code: string; msg: string }>(
      URL,
      form({ EMAIL_HOST_PASSWORD: 'not it hunter3' }),
    );
    expect([status, body.code]).toEqual([400, 'mail_failed']);
    expect(body.msg).toContain('Wrong password');
    expect(text).not.toContain('hunter3');
    expect((await admin.post<Json>(URL, form({ EMAIL_PORT: '1' }))).body).toMatchObject({
      code: 'mail_failed',
      msg: expect.stringContaining('ECONNREFUSED'),
    });
    expect(test.log()).not.toContain('hunter');
  });

  it('returns the failure in `error` for existing clients, and skips the sign-in without a password', async () => {
    const refused = await admin.post<Json>(URL, form({ EMAIL_PORT: '1' }));
    expect([refused.status, refused.body.error]).toEqual([400, refused.body.msg]);
    const open = await startMailbox({
      authOptional: true,
      onAuth: (_auth, _session, done) => done(new Error('nobody signs in here')),
    });
    const sent = await admin
      .post<Json>(URL, form({ EMAIL_PORT: String(open.port), EMAIL_HOST_PASSWORD: '' }))
      .finally(() => open.stop());
    expect([sent.status, sent.body]).toEqual([200, { msg: 'Test mail sent to ops@example.com.' }]);
  });

  it('uses the stored password for a blank one, but only with its server', async () => {
    const { EMAIL_HOST_PASSWORD: _secret, ...others } = form();
    await admin.put('settings/setting/', { email: form() });
    expect((await admin.post(URL, form({ EMAIL_HOST_PASSWORD: '' }))).status).toBe(200);
    expect((await admin.post(URL, others)).status).toBe(200);
    for (const change of [{ EMAIL_HOST: 'localhost' }, { EMAIL_HOST_USER: 'other@example.com' }]) {
      const { status, body } = await admin.post(URL, { ...others, ...change });
      expect([status, Object.keys(body)]).toEqual([400, ['EMAIL_HOST_PASSWORD']]);
    }
    expect(accepted).not.toContain('other@example.com');
  });

  it('rejects invalid values on their fields', async () => {
    for (const [change, field] of [
      [{ EMAIL_HOST: '' }, 'EMAIL_HOST'],
      [{ EMAIL_PORT: '99999' }, 'EMAIL_PORT'],
      [{ EMAIL_PORT: 'smtp' }, 'EMAIL_PORT'],
      [{ EMAIL_USE_SSL: true, EMAIL_USE_TLS: true }, 'EMAIL_USE_TLS'],
    ] as const) {
      const { status, body } = await admin.post(URL, form(change));
      expect([status, Object.keys(body)]).toEqual([400, [field]]);
    }
  });

  it('allows super administrators only', async () => {
    for (const role of ['User', 'Auditor'] as const)
      expect(
        (await (await bearer(test, await buildUser(test.db, { role }))).post(URL, form())).status,
      ).toBe(403);
    expect((await test.visitor.post(URL, form())).status).toBe(401);
  });

  it('sends nothing over TLS to a server with an untrusted certificate', async () => {
    const strangers = await Promise.all([startMailbox({ secure: true }), startMailbox()]);
    const [overSsl, plain] = strangers;
    const ssl = await admin.post<Json>(
      URL,
      form({ EMAIL_PORT: String(overSsl.port), EMAIL_USE_SSL: true }),
    );
    expect(ssl).toMatchObject({
      status: 400,
      body: { code: 'mail_failed', msg: expect.stringMatching(/certificate|self.signed/i) },
    });
    // With STARTTLS required, it does not fall back to an unencrypted connection.
    const open = await admin.post<Json>(
      URL,
      form({ EMAIL_PORT: String(plain.port), EMAIL_USE_TLS: true }),
    );
    expect(open).toMatchObject({ status: 400, body: { code: 'mail_failed' } });
    expect(strangers.flatMap(({ mails }) => mails)).toEqual([]);
    await Promise.all(strangers.map((stranger) => stranger.stop()));
  });
});
