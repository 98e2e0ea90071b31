import { expect } from 'vitest';
import { startSshd } from '../../server/src/testing/ssh/sshd.ts';
import {
  buildAsset,
  buildGranted,
  buildPermission,
  buildPerson,
  buildSystemUser,
  unique,
} from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

const SAID = {
  zh: {
    unreachable: '无法连接到服务器',
    refused: '拒绝了连接',
    changed: '主机密钥已变更',
    accept: '接受新密钥',
    accepted: '已接受新密钥',
  },
  en: {
    unreachable: 'Cannot reach the server',
    refused: 'refused the connection',
    changed: 'The host key has changed',
    accept: 'Accept the new key',
    accepted: 'New key pinned',
  },
} as const;

journey(
  'reports a server that is down, refuses and audits its changed host key, and trusts it once an administrator accepts it',
  async (open, { admin }) => {
    const own = await startSshd();
    try {
      const { person, asset } = await buildGranted(admin, own);
      const visitor = await open({ language });
      await signIn(visitor, person, '/luna/');
      const terminal = await connectTo(visitor.page, language, asset);
      await terminal.ready();
      const pinned =
        (await admin.get<{ fingerprint: string }[]>(`assets/assets/${asset.id}/host-keys/`)).body[0]
          ?.fingerprint ?? '';
      await own.kill();
      await terminal.reconnect.click();
      await terminal.notice.getByText(SAID[language].unreachable, { exact: true }).waitFor();
      await terminal.notice.getByText(SAID[language].refused).waitFor();
      await own.restartWithNewHostKey();
      await terminal.reconnect.click();
      await terminal.notice.getByText(SAID[language].changed, { exact: true }).waitFor();
      expect(await terminal.reconnect.count()).toBe(0);
      const audit = async () =>
        (
          await admin.get<{ results: { action: string }[] }>(
            'audits/operate-logs/?limit=1&action=refuse',
          )
        ).body.results;
      await expect.poll(audit).toMatchObject([{ action: 'refuse' }]);

      const guard = await open({ language });
      await signIn(guard, ADMIN, `/ui/assets/assets/${asset.id}`);
      await guard.page.getByText(pinned).waitFor();
      await guard.page.getByRole('button', { name: SAID[language].accept }).click();
      await guard.page
        .getByRole('dialog')
        .getByRole('button', { name: SAID[language].accept })
        .click();
      await guard.page.getByText(SAID[language].accepted).waitFor();
      await guard.page.getByText(pinned).waitFor({ state: 'detached' });

      const accepted = await connectTo(visitor.page, language, asset);
      await accepted.ready();
    } finally {
      await own.stop();
    }
  },
);

journey(
  'reports a wrong stored password, and connects with the right one typed by hand',
  async (open, { admin, sshd }) => {
    const person = await buildPerson(admin);
    const asset = await buildAsset(admin, sshd);
    const wrong = await buildSystemUser(admin, sshd, {
      private_key: undefined,
      password: 'not the password',
    });
    const byHand = await buildSystemUser(admin, sshd, {
      private_key: undefined,
      login_mode: 'manual',
    });
    await buildPermission(admin, [person], [asset], [wrong, byHand]);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(page, 'en', asset);
    await page.getByText('2 system users found').waitFor();
    await page.getByRole('button', { name: wrong.name }).click();
    await terminal.notice.getByText('The credentials were not accepted', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Choose another account' }).click();
    await page.getByRole('button', { name: byHand.name }).click();
    const password = page.getByRole('textbox', { name: 'Password' });
    await password.fill('wrong by hand');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').getByText('did not accept the username or password').waitFor();
    await password.fill(sshd.password ?? '');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await terminal.ready();
    await terminal.run('whoami');
    await terminal.shows(new RegExp(`whoami\\s+${sshd.username}`));
  },
);

journey(
  'reaches an asset of a domain through the domain’s gateway',
  async (open, { admin, sshd }) => {
    const hop = await startSshd();
    try {
      const domain = await admin.post<{ id: string }>('assets/domains/', {
        name: unique('domain'),
      });
      const gateway = {
        name: unique('gateway'),
        ip: hop.host,
        port: hop.port,
        username: hop.username,
        private_key: hop.privateKey,
        domain: domain.body.id,
      };
      expect((await admin.post('assets/gateways/', gateway)).status).toBe(201);
      const person = await buildPerson(admin);
      const asset = await buildAsset(admin, sshd, { domain: domain.body.id });
      const account = await buildSystemUser(admin, sshd);
      await buildPermission(admin, [person], [asset], [account]);
      const visitor = await open({ language: 'en' });
      await signIn(visitor, person, '/luna/');
      const terminal = await connectTo(visitor.page, 'en', asset);
      await terminal.ready();
      await terminal.run('echo $SSH_CONNECTION; whoami');
      await terminal.shows(sshd.username);
      const pins = await admin.get<{ hop: string; port: number }[]>(
        `assets/assets/${asset.id}/host-keys/`,
      );
      expect(pins.body.map(({ hop: kind, port }) => `${kind} ${port}`).sort()).toEqual([
        `asset ${sshd.port}`,
        `gateway ${hop.port}`,
      ]);
      // The way really leads through it: without it there is none.
      await terminal.run('exit');
      await hop.kill();
      await terminal.reconnect.click();
      await terminal.notice.getByText('Cannot reach the server', { exact: true }).waitFor();
    } finally {
      await hop.stop();
    }
  },
);

journey(
  'refuses a device with outdated SSH, gives advice, and opens it with a mark if its platform allows that',
  async (open, { admin }) => {
    const old = await startSshd({
      hostKeyType: 'rsa',
      config: [
        'KexAlgorithms diffie-hellman-group14-sha1',
        'HostKeyAlgorithms ssh-rsa',
        'Ciphers aes128-cbc',
      ],
    });
    try {
      const { person, asset } = await buildGranted(admin, old);
      const visitor = await open({ language: 'en' });
      const { page } = visitor;
      await signIn(visitor, person, '/luna/');
      const terminal = await connectTo(page, 'en', asset);
      await terminal.notice.getByText('The server’s SSH is outdated', { exact: true }).waitFor();
      await terminal.notice
        .getByText('give the asset a platform that allows old SSH algorithms')
        .waitFor();
      const platform = unique('device');
      await admin.post('assets/platforms/', { name: platform, base: 'Other', old_ssh: true });
      await admin.patch(`assets/assets/${asset.id}/`, { platform });
      await terminal.reconnect.click();
      await terminal.ready();
      await page.getByText('Old SSH', { exact: true }).waitFor();
      const guard = await open({ language: 'en' });
      await signIn(guard, ADMIN, '/ui/terminal/session');
      const mark = guard.page
        .getByRole('row', { name: new RegExp(asset.name) })
        .getByRole('img', { name: /diffie-hellman-group14-sha1, ssh-rsa, aes128-cbc/ });
      await mark.first().waitFor();
    } finally {
      await old.stop();
    }
  },
);
