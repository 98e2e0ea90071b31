import { setTimeout as sleep } from 'node:timers/promises';
import {
  CONTRACTORS,
  manyPeople,
  PEOPLE,
  READER,
  startSlapd,
} from '../../server/src/testing/services/slapd.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import type { Figure } from '../lib/figure.ts';
import { signIn } from '../lib/http.ts';
import { startServer } from '../lib/server.ts';
import type { World } from '../lib/world.ts';

const COUNT = 2000;
const POLL_MS = 20;
const MOST_MS = 120_000;

/** Reading a real OpenLDAP server and making accounts of its people. */
export async function ldap(world: World): Promise<Figure[]> {
  const slapd = await startSlapd(manyPeople(COUNT));
  const server = await startServer(world.folder(), ADMIN_PASSWORD);
  try {
    const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
    const ldapSettings = {
      AUTH_LDAP_SERVER_URI: slapd.url,
      AUTH_LDAP_BIND_DN: READER.dn,
      AUTH_LDAP_BIND_PASSWORD: READER.password,
      AUTH_LDAP_SEARCH_OU: `${PEOPLE} | ${CONTRACTORS}`,
      AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
      AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
      AUTH_LDAP: true,
    };
    await client.put('settings/setting/', { ldap: ldapSettings });
    const reading = performance.now();
    let text = '';
    // The server answers 409 until it has read the directory.
    while (text === '' || text.includes('directory_reading')) {
      if (performance.now() - reading > MOST_MS)
        throw new Error('the directory was not read in time');
      text = (await client.timed('settings/ldap/users/?limit=1', [200, 409])).text;
      await sleep(POLL_MS);
    }
    const read = performance.now() - reading;
    const people = await client.get<readonly { username: string }[]>('settings/ldap/users/');
    const importing = performance.now();
    await client.post('settings/ldap/users/import/', {
      username_list: people.map(({ username }) => username),
    });
    const imported = performance.now() - importing;
    const { count } = await client.get<{ count: number }>('users/users/?limit=1&source=ldap');
    client.close();
    if (count !== COUNT) throw new Error(`${count} of ${COUNT} people were imported`);
    return [
      { name: `Reading ${COUNT} people of an LDAP server`, value: read / 1000, unit: 's' },
      {
        name: `Importing ${COUNT} people`,
        value: imported / 1000,
        unit: 's',
        note: 'one request; each account with its entry in the operate log',
      },
    ];
  } finally {
    await server.stop();
    await slapd.stop();
  }
}
