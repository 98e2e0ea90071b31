import type { Client } from '../client.ts';
import { cookiesOf, openBrowser, withinLimit } from '../sign-in.ts';
import type { TestProgram } from '../test-program.ts';

const MAX_STEPS = 12;

/** Follows a provider's page like a browser: posts its form, which has no cookies of our site. */
async function postForm(page: string): Promise<Response> {
  const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1];
  const answer = /name="SAMLResponse" value="([^"]+)"/.exec(page)?.[1];
  if (!action || !answer) throw new Error(`the provider shows no form: ${page}`);
  const body = new URLSearchParams({ SAMLResponse: answer });
  return withinLimit(() => fetch(action, { method: 'POST', redirect: 'manual', body }));
}

/**
 * Signs in at an identity provider like a browser that follows each redirect. Returns the client of
 * the new session. The provider signs in its `who` without a question.
 * @throws Error with the page of the refusal
 */
export async function signInAtProvider(
  test: TestProgram,
  kind: 'openid' | 'saml',
): Promise<Client> {
  const site = new URL(test.program.url).origin;
  const jars = new Map<string, Record<string, string>>();
  let at = new URL(`/core/auth/${kind}/login/?next=/ui/`, site);
  const isOver = () => at.pathname === '/ui/' || at.searchParams.has('refused');
  for (let step = 0; step < MAX_STEPS && !isOver(); step++) {
    const jar = jars.get(at.origin) ?? {};
    jars.set(at.origin, jar);
    const cookie = Object.entries(jar)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    const read = () => fetch(at, { redirect: 'manual', headers: { cookie } });
    const response = await withinLimit(read);
    Object.assign(jar, cookiesOf(response.headers));
    const answer = response.status === 200 ? await postForm(await response.text()) : response;
    const location = answer.headers.get('location');
    if (!location) throw new Error(`${answer.url} answered ${answer.status}`);
    at = new URL(location, answer.url);
  }
  if (at.pathname !== '/ui/') throw new Error(`the sign-in ended at ${at.pathname}${at.search}`);
  const { sessionid = '', csrftoken = '' } = jars.get(site) ?? {};
  const visiting = await openBrowser(test);
  return visiting.with({
    cookie: `sessionid=${sessionid}; csrftoken=${csrftoken}`,
    'x-csrftoken': csrftoken,
  });
}
