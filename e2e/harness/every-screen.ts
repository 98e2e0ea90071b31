import {
  allows,
  type Language,
  type LocalText,
  Permission,
  resourceNamed,
  say,
} from '@sallyport/contract';
import type { Client, Json } from '../../server/src/testing/client.ts';
import { until } from '../../server/src/testing/poll.ts';
import { atRest } from './at-rest.ts';
import type { Visitor } from './browser.ts';
import { unique } from './build.ts';
import { type DeclaredScreen, declaredScreens } from './screens.ts';
import { POLLING } from './wait.ts';

/** An id without an object: the page reports that the object does not exist. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Pages that take their heading from their content. */
const OWN_HEADING = ['Docs'];

/**
 * Creates objects of an organization for the pages that show one; `member` administers it. Returns
 * their ids by resource.
 */
export async function makeObjects(
  admin: Client,
  member: string,
): Promise<ReadonlyMap<string, string>> {
  const create = async (path: string, body: Json): Promise<string> => {
    const answer = await admin.post(`${path}/`, body);
    if (answer.status !== 201)
      throw new Error(`${path} was answered with ${answer.status} ${answer.text}`);
    return String(answer.body.id);
  };
  const name = unique('walk');
  const domain = await create('assets/domains', { name });
  await create('assets/gateways', { name, ip: '10.0.0.2', domain });
  await create('assets/admin-users', { name, username: 'root' });
  const account = await create('assets/system-users', {
    name,
    username: 'deploy',
    login_mode: 'manual',
    protocol: 'ssh',
  });
  const asset = await create('assets/assets', {
    hostname: name,
    ip: '10.0.0.3',
    platform: 'Linux',
  });
  const filter = await create('assets/cmd-filters', { name });
  const rule = await create(`assets/cmd-filters/${filter}/rules`, {
    type: 'command',
    content: 'reboot',
    action: 0,
  });
  await create('assets/labels', { name, value: 'walk' });
  await create('users/groups', { name });
  await create('perms/asset-permissions', {
    name,
    users: [member],
    assets: [asset],
    system_users: [account],
  });
  await create('perms/emergency-access', {
    name,
    users: [member],
    assets: [asset],
    system_users: [account],
    reviewers: [member],
  });
  await create('audits/event-receivers', { name, host: 'logs.example.com', is_active: false });
  await create('xpack/change-auth-plan/plan', {
    name,
    username: 'deploy',
    assets: [asset],
    password_strategy: 'random_all',
  });
  const [root] = (await admin.get<{ id: string }[]>('assets/nodes/')).body;
  await create('xpack/gathered-user/tasks', { name, nodes: [root?.id] });
  // A run of work leaves a job, a task, its version and the execution.
  await admin.post(`assets/assets/${asset}/tasks/`, { action: 'test' });
  const first = async (resource: string) =>
    (await admin.get<{ results: { id: string }[] }>(`${resourceNamed(resource).path}/?limit=1`))
      .body.results?.[0]?.id;
  await until(async () => (await first('adhoc_execution')) !== undefined, 'a run of work is there');
  const ids = new Map([['command_filter_rule', rule]]);
  for (const { path, resource } of await declaredScreens()) {
    if (!resource || !path.includes('$') || ids.has(resource)) continue;
    // Each user sees tickets of other users. A resource that this file does not create may have no
    // object.
    const id = resource === 'ticket' ? undefined : await first(resource);
    if (id) ids.set(resource, id);
  }
  return ids;
}

/**
 * Returns true if the specification lets a role open a screen. The installation has a license and
 * batch commands.
 */
function mayOpen(
  { constant, permissions = Permission.ADMIN, alsoFor = 0 }: DeclaredScreen,
  role: number,
): boolean {
  return constant === true || allows(role, permissions) || (role & alsoFor) !== 0;
}

/** The address of a screen, with an object where it needs one. */
const addressOf = ({ path, resource }: DeclaredScreen, ids: ReadonlyMap<string, string>) =>
  `/ui${path.replace('$id', ids.get(resource ?? '') ?? NOBODY)}`;

interface Walk {
  /** The bits of the role that the visitor has now. */
  readonly role: number;
  readonly ids: ReadonlyMap<string, string>;
  readonly notFound: LocalText;
}

/**
 * Navigates to every screen of the console: a permitted screen shows its heading, the others are
 * refused. The visitor is signed in. Returns the opened screens.
 */
export async function openEveryScreen(
  { page, language, watch }: Visitor,
  { role, ids, notFound }: Walk,
): Promise<string[]> {
  watch.allow(new RegExp(`^404 GET .*${NOBODY}`));
  const opened: string[] = [];
  for (const screen of await declaredScreens()) {
    if (!screen.component || screen.unlisted) continue;
    const address = addressOf(screen, ids);
    const may = mayOpen(screen, role);
    const before = await page.evaluate((to) => {
      // The page that the sign-in led to.
      if (location.pathname === to) return '';
      const old = document.querySelector('h1');
      old?.setAttribute('data-old', '');
      history.pushState({}, '', to);
      return old?.textContent ?? '';
    }, address);
    // The start page of the user area redirects other roles to their start page.
    const target = may ? address : screen.path === '/' ? '/ui/dashboard' : '/ui/404';
    const hasOwnHeading =
      target !== '/ui/404' &&
      (screen.path.includes('$') || screen.path === '/' || OWN_HEADING.includes(screen.name));
    const title = hasOwnHeading ? '' : say(may ? screen.title : notFound, language as Language);
    // Two screens may share a component, which then keeps its heading element and replaces the
    // text.
    await page
      .waitForFunction(
        ([path, wanted, old]) => {
          const now = document.querySelector('h1');
          const text = now?.textContent.trim() ?? '';
          const isNew =
            path === '/ui/dashboard' || !now?.hasAttribute('data-old') || now.textContent !== old;
          return (
            location.pathname === path && (wanted === '' ? text !== '' && isNew : text === wanted)
          );
        },
        [target, title, before] as const,
        POLLING,
      )
      .catch(async () => {
        throw new Error(
          `${screen.name} at ${address} shows ${page.url()} "${await page.locator('h1').first().textContent()}"`,
        );
      });
    if (may) opened.push(screen.name);
  }
  await atRest(page);
  return opened;
}
