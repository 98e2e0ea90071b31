import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { sendMail } from '../../../platform/mail/mail.ts';
import { buildOrganization, buildUser, unique } from '../../../testing/builders.ts';
import { makeSelfSigned } from '../../../testing/certificates.ts';
import { changeSettings } from '../../../testing/change-settings.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { runJob } from '../../../testing/jobs.ts';
import { until } from '../../../testing/poll.ts';
import { signInMember } from '../../../testing/roles.ts';
import {
  type Mailbox,
  startMailbox,
  tokenIn,
  useMailbox,
} from '../../../testing/services/mailbox.ts';
import { bearer, openBrowser, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let mailbox: Mailbox;
let admin: Client;
beforeAll(async () => {
  [test, mailbox] = await Promise.all([startTestProgram(), startMailbox()]);
  admin = await bearer(test);
});
afterAll(async () => {
  await test.stop();
  await mailbox.stop();
});

const account = (more: Json = {}) => {
  const username = unique('made');
  return { name: `Made ${username}`, username, email: `${username}@example.com`, ...more };
};
const make = (body: Json) => admin.post<Json>('users/users/', body);

const queuedMails = async () =>
  (await sql`select 1 from job where name = 'mail'`.execute(test.db)).rows;
/** A mail arrives a moment before its job ends. */
const allAreSent = () =>
  until(async () => (await queuedMails()).length === 0, 'every mail before is sent');

const byMail = async () =>
  (await test.visitor.get<{ data: Json }>('settings/public/')).body.data.PASSWORD_BY_MAIL;

describe('before a mail server is set up', () => {
  it('rejects an account with a mailed link while no mail server is set up, and creates others', async () => {
    const refused = await make(account({ password_strategy: 0 }));
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['password_strategy']]);
    expect(
      (await make(account({ password_strategy: 1, password: 'set by somebody 1' }))).status,
    ).toBe(201);
    expect((await make(account({ password: 'set by somebody 1' }))).status).toBe(201);
    expect((await make(account())).status).toBe(201);
  });

  it('mails no link while no mail server is set up', async () => {
    const user = await buildUser(test.db);
    expect((await admin.patch(`users/users/${user.id}/password/reset/`)).body.code).toBe(
      'mail_not_configured',
    );
    const visiting = await openBrowser(test);
    for (const email of [`${user.username}@example.com`, 'nobody@example.com'])
      expect((await visiting.post<Json>('/core/auth/password/forgot/', { email })).body.code).toBe(
        'mail_not_configured',
      );
    expect(await byMail()).toBe(false);
    expect(await queuedMails()).toEqual([]);
  });
});

describe('an invitation', () => {
  it('mails an invitation that leads to the profile and contains no token', async () => {
    await useMailbox(admin, mailbox);
    const organization = await buildOrganization(test.db, 'Shop team');
    const boss = await signInMember(test, organization);
    const person = await buildUser(test.db);
    expect((await boss.post('users/users/invite/', { accounts: [person.username] })).status).toBe(
      201,
    );
    const mail = await mailbox.next(`${person.username}@example.com`);
    expect(mail.subject).toBe('[Sallyport] Invitation to join an organization');
    for (const part of ['Shop team', person.username, '/core/console/users/profile'])
      expect(mail.text).toContain(part);
    expect(mail.text).not.toContain('token');
  });
});

describe('a new account', () => {
  beforeAll(() => useMailbox(admin, mailbox));

  it('lets a new user choose the password by a mailed link', async () => {
    expect(await byMail()).toBe(true);
    const body = account({ password_strategy: 0, password: 'of no account 1' });
    const created = await make(body);
    expect([created.status, 'password_strategy' in created.body]).toEqual([201, false]);
    const mail = await mailbox.next(String(body.email));
    expect([mail.subject, mail.text]).toEqual([
      '[Sallyport] Your new account',
      expect.stringContaining(String(body.username)),
    ]);
    const credentials = { username: String(body.username), password: 'chosen by link 1' };
    expect((await tryToSignIn(test, { ...credentials, password: 'of no account 1' })).status).toBe(
      400,
    );
    await (await openBrowser(test)).post('/core/auth/password/reset/', {
      token: tokenIn(mail),
      new_password: credentials.password,
    });
    expect((await tryToSignIn(test, credentials)).status).toBe(201);
  });

  it('mails nothing to a new account with a password', async () => {
    await allAreSent();
    const body = account({ password_strategy: 1, password: 'set by somebody 1' });
    expect((await make(body)).status).toBe(201);
    expect(await queuedMails()).toEqual([]);
    expect(
      (await tryToSignIn(test, { username: String(body.username), password: 'set by somebody 1' }))
        .status,
    ).toBe(201);
    expect(mailbox.mails).toEqual([]);
  });

  it.each([{ password_strategy: 1 }, { password_strategy: 1, password: '' }])(
    'rejects a new account with %j',
    async (more) => {
      expect(Object.keys((await make(account(more))).body)).toEqual(['password']);
    },
  );
  it.each([2, 'mail', null])('rejects the password strategy %j', async (password_strategy) => {
    expect(Object.keys((await make(account({ password_strategy }))).body)).toEqual([
      'password_strategy',
    ]);
  });

  it('mails nothing for a rejected account or a dry run', async () => {
    await allAreSent();
    const good = account({ password_strategy: 0 });
    expect(
      (await admin.post('users/users/', [good, account({ name: '', password_strategy: 0 })]))
        .status,
    ).toBe(400);
    expect((await admin.post('users/users/?dry_run=1', [good])).status).toBeLessThan(300);
    expect(await queuedMails()).toEqual([]);
    expect(mailbox.mails).toEqual([]);
  });

  it('writes the welcome mail with the texts of the settings', async () => {
    const words = {
      EMAIL_CUSTOM_USER_CREATED_SUBJECT: '欢迎',
      EMAIL_CUSTOM_USER_CREATED_HONORIFIC: '尊敬的同事',
      EMAIL_CUSTOM_USER_CREATED_BODY: 'See {link} and $1',
      EMAIL_CUSTOM_USER_CREATED_SIGNATURE: '信息部',
    };
    expect((await admin.patch('settings/setting/', { email_content: words })).status).toBe(200);
    const body = account({ password_strategy: 0 });
    await make(body);
    const mail = await mailbox.next(String(body.email));
    expect(mail.subject).toBe('[Sallyport] 欢迎');
    expect(mail.text).toMatch(
      /^尊敬的同事\n\nSee \{link\} and \$1\n\n.*#token=[\w-]{43}\n.*信息部\n$/s,
    );
  });
});

describe('reminders', () => {
  it('reminds users whose password or account expires within five days, once a day across servers', async () => {
    await useMailbox(admin, mailbox);
    const people = await Promise.all(Array.from({ length: 8 }, () => buildUser(test.db)));
    const [soon, later, gone, leaving, disabled, ldap, warned, unlisted] = people.map(
      ({ id }) => id,
    );
    const age = (id: string | undefined, days: number) =>
      sql`update account set date_password_last_updated = now() - make_interval(days => ${days}) where id = ${id}`.execute(
        test.db,
      );
    await age(soon, 9_996);
    await age(later, 9_990);
    await age(gone, 10_000);
    await age(disabled, 9_996);
    await age(ldap, 9_996);
    await sql`update account set is_active = false where id = ${disabled}`.execute(test.db);
    await sql`update account set source = 'ldap' where id = ${ldap}`.execute(test.db);
    await sql`update account set date_expired = now() + interval '47 hours' where id = ${leaving}`.execute(
      test.db,
    );
    // The directory said at the last sign-in when the password ends.
    for (const [id, days] of [
      [warned, 4],
      [unlisted, 9],
    ] as const) {
      await sql`update account set source = 'ldap' where id = ${id}`.execute(test.db);
      await sql`insert into source_proof (user_id, date_password_expired)
        values (${id}, now() + make_interval(days => ${days}))`.execute(test.db);
    }
    expect(await runJob(test, 'expiry-reminders')).toMatchObject({
      state: 'succeeded',
      result: { mails: 3 },
    });
    const mails = await Promise.all(
      [people[0], people[3], people[6]].map((user) =>
        mailbox.next(`${user?.username}@example.com`),
      ),
    );
    expect(mails.map(({ subject, text }) => [subject, /(\d+) 天后过期/.exec(text)?.[1]])).toEqual([
      ['[Sallyport] 密码即将过期', '3'],
      ['[Sallyport] 账号即将过期', '2'],
      ['[Sallyport] 密码即将过期', '4'],
    ]);
    expect(mails[2]?.text).toContain('请在账号来源处');
  });

  it('reminds in the language of the installation', async () => {
    const { id, username } = await buildUser(test.db);
    await sql`update account set date_expired = now() + interval '47 hours' where id = ${id}`.execute(
      test.db,
    );
    await changeSettings([admin], 'basic', { SERVER_LANGUAGE: 'en' });
    try {
      await runJob(test, 'expiry-reminders');
      const { subject } = await mailbox.next(`${username}@example.com`);
      expect(subject).toBe('[Sallyport] Your account expires soon');
    } finally {
      await changeSettings([admin], 'basic', { SERVER_LANGUAGE: 'zh' });
    }
  });
});

it('sends no reminder twice after the loss of the server of the first run', async () => {
  const { id } = await runJob<Json>(test, 'expiry-reminders');
  await sql`update job set state = 'failed' where id = ${id}`.execute(test.db);
  await sql`update jobs.job set state = 'failed' where id = ${id}`.execute(test.db);
  expect(await test.program.jobs.retry(id)).toBe(true);
  await until(async () => {
    const row = await test.program.jobs.latest<Json>({ name: 'expiry-reminders' });
    return row?.id === id && row.state === 'succeeded' && row.result?.mails === 0;
  }, 'the second run');
});

it('retries a mail while the mail server is down and stores the reason', async () => {
  await useMailbox(admin, { ...mailbox, port: 1 });
  const user = await buildUser(test.db);
  await admin.patch(`users/users/${user.id}/password/reset/`);
  const waiting = async () =>
    (
      await sql<Json>`
        select j.state, j.problem ->> 'code' as problem, q.state::text as queued,
          extract(epoch from q.start_after - now())::integer as wait
        from job j join jobs.job q using (id)
        where q.data -> 'input' ->> 'userId' = ${user.id}`.execute(test.db)
    ).rows;
  await expect.poll(waiting).toEqual([
    {
      state: 'queued',
      problem: 'mail_failed',
      queued: 'retry',
      wait: expect.toSatisfy((seconds: number) => seconds > 20 && seconds <= 130),
    },
  ]);
  // The mail server is available again.
  await useMailbox(admin, mailbox);
  await sql`update jobs.job set start_after = now() where data -> 'input' ->> 'userId' = ${user.id}`.execute(
    test.db,
  );
  const other = await buildUser(test.db);
  await admin.patch(`users/users/${other.id}/password/reset/`);
  await mailbox.next(`${user.username}@example.com`);
  await mailbox.next(`${other.username}@example.com`);
  // Data of a sent mail is deleted.
  await expect.poll(waiting).toEqual([]);
});

describe('the mail server', () => {
  const plain = {
    host: '127.0.0.1',
    user: '',
    password: '',
    from: 'a@example.com',
    ssl: false,
    startTls: false,
  };
  const mail = { to: 'b@example.com', subject: 'x', text: 'x' };

  it('signs in to the mail server and reports a failure without the password', async () => {
    const authMailbox = await startMailbox({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === 'me' && password === 'right one'
          ? done(null, { user: 'me' })
          : done(new Error(`bad password ${password}`)),
    });
    try {
      await sendMail({ ...plain, port: authMailbox.port, user: 'me', password: 'right one' }, mail);
      expect(authMailbox.mails).toHaveLength(1);
      const refused = await sendMail(
        { ...plain, port: authMailbox.port, user: 'me', password: 'wrong one' },
        mail,
      ).catch(String);
      expect([refused, String(refused).includes('wrong one')]).toEqual([
        expect.stringContaining('MailError'),
        false,
      ]);
    } finally {
      await authMailbox.stop();
    }
  });

  it('rejects an untrusted certificate, and a server without the required TLS', async () => {
    const { key, certificate: cert } = await makeSelfSigned('IP:127.0.0.1');
    const certificate = { key, cert };
    const [implicit, explicit] = [
      await startMailbox({ secure: true, ...certificate }),
      await startMailbox(certificate),
    ];
    try {
      await expect(sendMail({ ...plain, port: implicit.port, ssl: true }, mail)).rejects.toThrow(
        /self-signed/,
      );
      await expect(
        sendMail({ ...plain, port: explicit.port, startTls: true }, mail),
      ).rejects.toThrow(/self-signed/);
      await expect(
        sendMail({ ...plain, port: mailbox.port, startTls: true }, mail),
      ).rejects.toThrow();
      expect([implicit.mails, explicit.mails]).toEqual([[], []]);
    } finally {
      await Promise.all([implicit.stop(), explicit.stop()]);
    }
  });

  it('removes line breaks from header values', async () => {
    await sendMail(
      { ...plain, port: mailbox.port },
      { to: 'c@example.com', subject: 'x\r\nBcc: evil@example.com', text: 'x' },
    );
    expect(await mailbox.next('c@example.com')).toMatchObject({
      to: 'c@example.com',
      subject: 'x Bcc: evil@example.com',
    });
  });
});
