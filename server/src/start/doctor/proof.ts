import { readRestores } from '../../features/audits/index.ts';
import {
  answeringInstance,
  NEW_IDENTITY,
  PEERS,
  serverIdOf,
} from '../../features/servers/index.ts';
import { countRepairs } from '../../features/sessions/index.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { createPeerChannel } from '../../platform/peers/channel.ts';
import { COMMAND } from '../../platform/release.ts';
import { type DoctorContext, type Finding, fine, problem } from './finding.ts';

/** Checks what the proof of sessions depends on: identity, declared restores and early digests. */
export async function examineProof(
  db: Db,
  vault: Vault,
  context: DoctorContext,
): Promise<Finding[]> {
  return [
    ...(await identity(db, vault, context)),
    ...(await restores(db)),
    ...(await repairs(db, vault)),
  ];
}

/** Finds a running server with the identity of this folder, while its own server is stopped. */
async function identity(
  db: Db,
  vault: Vault,
  { config, isRunning }: DoctorContext,
): Promise<Finding[]> {
  if (config.databaseUrl === undefined || isRunning) return [];
  const channel = createPeerChannel(vault.keysFor(PEERS));
  const other = await answeringInstance({ db, id: serverIdOf(config), channel });
  return [
    other
      ? problem(
          'identity',
          `The server at ${other.host}:${other.port} has the identity of this data folder (server.id), which cannot start`,
          `If this machine or folder is a copy: ${NEW_IDENTITY}. Otherwise stop that server`,
        )
      : fine('identity', 'No running server has the identity of this data folder'),
  ];
}

async function restores(db: Db): Promise<Finding[]> {
  const declared = await readRestores(db);
  const last = declared.at(-1);
  if (!last) return [];
  const text = `the last time at ${last.date.toISOString()}, to the backup of ${last.backup}`;
  return [
    fine(
      'restores',
      `The logs stepped back by a restore, as the operate log declares (${declared.length}): ${text}`,
    ),
  ];
}

async function repairs(db: Db, vault: Vault): Promise<Finding[]> {
  const { declared, unsealed } = await countRepairs(db, vault);
  return [
    ...(unsealed > 0
      ? [
          problem(
            'repairs',
            `Declarations of early digests without a seal of this installation: ${unsealed}. They count for nothing`,
            `A writer of the database added them. Compare: ${COMMAND} audit verify`,
          ),
        ]
      : []),
    ...(declared > 0
      ? [
          fine(
            'repairs',
            `Digests that an earlier version wrote too early, as the operate log declares: ${declared}`,
          ),
        ]
      : []),
  ];
}
