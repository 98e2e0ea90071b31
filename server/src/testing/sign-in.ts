import { sql } from '../platform/db/sql.ts';
import type { Answer, Client } from './client.ts';
import { until } from './poll.ts';
import { recoveryCodeFor } from './second-factors.ts';
import { ADMIN_PASSWORD, type TestProgram } from './test-program.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The first administrator. */
export const ADMIN: Credentials = { username: 'admin', password: ADMIN_PASSWORD };

/** Moves the password of all sign-ins into the past: creating a key needs it again. */
export async function agePasswordProofs({ db }: TestProgram, minutes = 6): Promise<void> {
  await sql`update web_session set password_verified = now() - make_interval(mins => ${minutes})
    where password_verified is not null`.execute(db);
}

/** Attempts a sign-in like a script. */
export function tryToSignIn(
  test: TestProgram,
  { username, password }: Credentials,
): Promise<Answer<{ token: string; code?: string }>> {
  return test.visitor.post('authentication/auth/', { username, password });
}

/**
 * Asks again while the limit of the address refuses it: a machine without other work asks more
 * often than the limit refills.
 */
export async function withinLimit<T extends { readonly status: number }>(
  send: () => Promise<T>,
): Promise<T> {
  let answer = await send();
  await until(async () => {
    if (answer.status === 429) answer = await send();
    return answer.status !== 429;
  }, 'the limit allows another request');
  return answer;
}

/** Proves the second factor of a script's sign-in by a recovery code, and returns its token. */
async function proved(
  test: TestProgram,
  { username, password }: Credentials,
  begun: Answer<unknown>,
): Promise<Answer<{ token: string }>> {
  const { sallyport_signin: ticket = '' } = cookiesOf(begun.headers);
  const script = test.visitor.with({ cookie: `sallyport_signin=${ticket}` });
  const code = await recoveryCodeFor(username, test.db);
  await script.post('authentication/mfa/challenge/', { type: 'recovery', code });
  return script.post('authentication/auth/', { username, password });
}

/** Signs in like a script, with a second factor if the account needs one. */
export async function bearer(test: TestProgram, credentials: Credentials = ADMIN): Promise<Client> {
  const begun = await withinLimit(() => tryToSignIn(test, credentials));
  const needsFactor = begun.status === 200 && begun.text.includes('"mfa_required"');
  const { status, body, text } = needsFactor ? await proved(test, credentials, begun) : begun;
  if (status !== 201)
    throw new Error(`signing in as ${credentials.username} answered ${status} ${text}`);
  return test.visitor.with({ authorization: `Bearer ${body.token}` });
}

/** Returns the cookies of an answer by name. */
export function cookiesOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    headers.getSetCookie().map((line) => (line.split(';')[0] ?? '').split(/=(.*)/s).slice(0, 2)),
  );
}

/** Opens the sign-in page like a browser, with its CSRF token. */
export async function openBrowser(test: TestProgram): Promise<Client> {
  const { csrftoken = '' } = cookiesOf((await test.visitor.get('/core/auth/login/')).headers);
  return test.visitor.with({
    cookie: `csrftoken=${csrftoken}`,
    'x-csrftoken': csrftoken,
    origin: new URL(test.program.url).origin,
  });
}

/** Signs in like a browser: cookies, CSRF header and origin. */
export async function browser(
  test: TestProgram,
  { username, password }: Credentials = ADMIN,
): Promise<Client> {
  const visiting = await openBrowser(test);
  const { status, headers, text } = await withinLimit(() =>
    visiting.post('/core/auth/login/', { username, password }),
  );
  if (status !== 200) throw new Error(`signing in as ${username} answered ${status} ${text}`);
  const { sessionid = '', csrftoken = '' } = cookiesOf(headers);
  return visiting.with({
    cookie: `sessionid=${sessionid}; csrftoken=${csrftoken}`,
    'x-csrftoken': csrftoken,
  });
}
