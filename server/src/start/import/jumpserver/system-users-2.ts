import type { Row } from './database.ts';
import type { Reading } from './people.ts';
import { readSecrets } from './shared-assets.ts';
import { idOf, isTrue, organizationOf, textOf } from './values.ts';

/** The account of a row for the lists of admin users and system users. */
const loginOf = (row: Row) => ({
  name: textOf(row.name),
  username: textOf(row.username),
  comment: textOf(row.comment),
});

export async function readAdminUsers(reading: Reading): Promise<void> {
  for await (const row of reading.database.rows('assets_adminuser'))
    addAdminUser(row, `assets_adminuser ${idOf(row.id)}`, reading);
}

function addAdminUser(row: Row, place: string, reading: Reading): void {
  reading.into.add({
    kind: 'admin_user',
    id: idOf(row.id),
    organization: organizationOf(row),
    name: textOf(row.name),
    place,
    fields: loginOf(row),
    initial: readSecrets(reading, place, row),
  });
}

/** A system user of the source. */
export interface SystemUser {
  readonly name: string;
  readonly username: string;
  readonly protocol: string;
}

export async function readSystemUsers(reading: Reading): Promise<ReadonlyMap<string, SystemUser>> {
  const { database, into } = reading;
  const systemUsers = new Map<string, SystemUser>();
  for await (const row of database.rows('assets_systemuser')) {
    const id = idOf(row.id);
    const place = `assets_systemuser ${id}`;
    // From version 2.13 on, admin users are a type of system users.
    if (row.type === 'admin') {
      addAdminUser(row, place, reading);
      continue;
    }
    const protocol = textOf(row.protocol) || 'ssh';
    systemUsers.set(id, { name: textOf(row.name), username: textOf(row.username), protocol });
    const secrets = readSecrets(reading, place, row);
    const isSameName = isTrue(row.username_same_with_user);
    const hasSecret = Object.keys(secrets).length > 0 || protocol === 'vnc';
    const isManual = row.login_mode === 'manual' || !hasSecret;
    if (isManual && row.login_mode !== 'manual')
      into.note(place, 'has no readable secret; users type it, or store it for an asset');
    into.add({
      kind: 'system_user',
      id,
      organization: organizationOf(row),
      name: textOf(row.name),
      place,
      fields: {
        ...loginOf(row),
        protocol,
        priority: Math.min(100, Math.max(1, Number(row.priority ?? 20))),
        username_same_with_user: isSameName,
        ...(protocol === 'ssh' && {
          sudo: textOf(row.sudo) || '/bin/whoami',
          shell: textOf(row.shell) || '/bin/bash',
          sftp_root: textOf(row.sftp_root) || 'tmp',
        }),
      },
      initial: { ...secrets, login_mode: isManual ? 'manual' : 'auto', auto_push: false },
    });
  }
  return systemUsers;
}
