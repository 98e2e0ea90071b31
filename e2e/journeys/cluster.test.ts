import { say } from '@sallyport/contract';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  CLUSTER_TOKEN,
  type SmallCluster,
  startSmallCluster,
} from '../../server/src/testing/clusters/small-cluster.ts';
import { KINDS, words } from '../../web/src/console/features/clusters/browser/words.ts';
import { words as podWords } from '../../web/src/terminal/pod/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildPerson } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { TerminalPage } from '../pages/terminal-page.ts';

const SECRET = 'aHVudGVyMg==';
const PHONE = { width: 390, height: 844 };

const { journey } = useStage();
let cluster: SmallCluster;
beforeAll(async () => {
  cluster = await startSmallCluster();
  const { objects } = cluster;
  const at = (resource: string, namespace = 'team-a', group = '') => ({
    group,
    resource,
    namespace,
  });
  const running = { ready: true, restartCount: 3, state: { running: {} } };
  objects.create(at('pods'), {
    metadata: { name: 'web-0' },
    spec: { containers: [{ name: 'main', image: 'nginx:1.29' }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'main', ...running }] },
  });
  objects.create(at('deployments', 'team-a', 'apps'), {
    metadata: { name: 'shop' },
    spec: { replicas: 2 },
    status: { readyReplicas: 2 },
  });
  objects.create(at('secrets'), { metadata: { name: 'password' }, data: { password: SECRET } });
  cluster.appendLog('listening on port 8080\n');
});
afterAll(() => cluster?.stop());

journey(
  'looks at a cluster, follows a log and works in a container, by the rights of its permission',
  async (open, { admin }) => {
    const language = 'en';
    const person = await buildPerson(admin);
    const created = async (path: string, values: object): Promise<string> => {
      const { status, text, body } = await admin.post(path, values);
      expect([status, text]).toEqual([201, expect.any(String)]);
      return String(body.id);
    };
    const name = `production-${person.name}`.slice(0, 60);
    const account = await created('assets/system-users/', {
      name: `bastion-${name}`.slice(0, 60),
      protocol: 'kubernetes',
      password: CLUSTER_TOKEN,
    });
    const id = await created('applications/clusters/', {
      name,
      host: '127.0.0.1',
      port: cluster.port,
      ca_certificate: cluster.authority,
    });
    const rule = await created('perms/cluster-permissions/', {
      name: `rule-${name}`.slice(0, 60),
      users: [person.id],
      clusters: [id],
      system_users: [account],
      namespaces: 'team-a',
      actions: ['logs', 'secrets'],
    });
    const visitor = await open({ language });
    const { page } = visitor;
    // The namespace that no permission names.
    visitor.watch.allow(/^403 GET .*namespace=other$/);
    const text = (word: Parameters<typeof say>[0], values: Record<string, string> = {}) =>
      say(word, language, values);
    const button = (label: string) => page.getByRole('button', { name: label, exact: true });
    await signIn(visitor, person, '/ui/apps/clusters');
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('cell', { name: 'web-0' }).waitFor();
    await page.getByRole('cell', { name: 'Running' }).waitFor();
    expect(await problemsOf(page, 'cluster')).toEqual([]);

    // Without the action there is a log, but no terminal.
    await button('web-0').click();
    const panel = page.getByRole('dialog');
    await panel.getByText('nginx:1.29').waitFor();
    const terminal = text(words.terminalIn, { name: 'main' });
    expect(await panel.getByRole('button', { name: terminal }).isDisabled()).toBe(true);
    expect(await problemsOf(page, 'pod')).toEqual([]);
    await panel.getByRole('button', { name: text(words.logOf, { name: 'main' }) }).click();
    const log = panel.getByRole('log');
    await log.getByText('listening on port 8080').waitFor();
    await panel.getByRole('switch', { name: text(words.follow) }).click();
    await expect.poll(() => cluster.followers()).toBe(1);
    cluster.appendLog(`followed in ${language}\n`);
    await log.getByText(`followed in ${language}`).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    await expect.poll(() => cluster.followers()).toBe(0);

    // Other kinds; a namespace that no permission names is refused in words.
    const kind = page.getByRole('combobox', { name: text(words.kind) });
    await kind.selectOption({ label: text(KINDS.deployments) });
    await page.getByRole('cell', { name: '2/2' }).waitFor();
    await kind.selectOption({ label: text(KINDS.secrets) });
    await button('password').click();
    await panel.getByText('******').waitFor();
    expect(await page.content()).not.toContain(SECRET);
    await page.keyboard.press('Escape');
    const namespace = page.getByRole('combobox', { name: text(words.namespace) });
    await namespace.fill('other');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('secrets').waitFor();

    // With the action there is a shell, whose window names its pod.
    await admin.patch(`perms/cluster-permissions/${rule}/`, { actions: ['logs', 'exec'] });
    await page.goto(`/ui/apps/clusters/${id}?namespace=team-a&kind=pods&in=team-a&object=web-0`);
    const [window] = await Promise.all([
      page.waitForEvent('popup'),
      panel.getByRole('link', { name: terminal }).click(),
    ]);
    await window.getByRole('heading', { name: 'team-a/web-0 · main' }).waitFor();
    const shell = new TerminalPage(window, language, 'team-a/web-0');
    await window
      .getByRole('group', { name: text(podWords.label, { name: 'team-a/web-0' }) })
      .waitFor();
    await shell.ready();
    await shell.run('echo from the p""od');
    await shell.shows('from the pod');
    expect(await problemsOf(window, 'pod terminal')).toEqual([]);
    await admin.patch(`perms/cluster-permissions/${rule}/`, { actions: ['logs'] });
    await shell.notice.first().waitFor();

    // A phone shows the same in Chinese.
    const phone = await open({ language: 'zh', theme: 'dark', size: PHONE });
    await signIn(phone, person, `/ui/apps/clusters/${id}?namespace=team-a&kind=pods`);
    await phone.page.getByRole('button', { name: 'web-0', exact: true }).click();
    await phone.page.getByRole('tab', { name: words.log.zh }).click();
    await phone.page.getByRole('log').getByText('listening on port 8080').waitFor();
    expect(await problemsOf(phone.page, 'phone')).toEqual([]);
  },
);
