import type { Client } from '../../server/src/testing/client.ts';
import type { Scene } from './scenes.ts';

/** Pages of a user who only works with granted assets. */
export async function workerScenes(worker: Client): Promise<Scene[]> {
  const [app] = (await worker.get<{ id: string }[]>('perms/users/database-apps/')).body;
  return [
    { name: 'my-assets', address: '/ui/' },
    { name: 'my-remote-apps', address: '/ui/apps/remoteapp' },
    { name: 'my-databases', address: '/ui/apps/database' },
    { name: 'my-emergency-access', address: '/ui/emergency-access' },
    { name: 'my-batch-command', address: '/ui/command-executions' },
    { name: 'my-tickets', address: '/ui/tickets/tickets' },
    { name: 'my-request', address: '/ui/tickets/request-access' },
    { name: 'my-profile', address: '/ui/users/profile' },
    { name: 'my-first-login', address: '/ui/users/first-login/personal-information-improvement' },
    { name: 'my-guide', address: '/ui/users/first-login/guide' },
    { name: 'my-terminal', address: '/luna/' },
    { name: 'my-files', address: '/koko/elfinder/sftp/' },
    ...(app
      ? [{ name: 'my-queries', address: `/luna/?type=database_app&login_to=${app.id}` }]
      : []),
  ];
}

/** Pages before the sign-in. */
export const STRANGER_SCENES: readonly Scene[] = [
  { name: 'sign-in', address: '/core/auth/login/' },
  { name: 'sign-in-refused', address: '/core/auth/login/?refused=provider_failed' },
  { name: 'sign-in-forgotten', address: '/core/auth/password/forgot/' },
  { name: 'sign-in-reset', address: '/core/auth/password/reset/?token=none' },
];
