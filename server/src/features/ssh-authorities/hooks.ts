import { sshAuthority } from '@sallyport/contract';
import { generateSshKeyPair } from '@sallyport/ssh';
import type { Vault } from '../../platform/crypto/vault.ts';
import { sql } from '../../platform/db/sql.ts';
import { Rejected } from '../../platform/errors.ts';
import { fingerprintOf } from '../../platform/ssh-keys.ts';
import { hooksFor } from '../../resources/hooks.ts';

/** Binds the sealed private key of an authority to its row. */
export const authorityContext = (id: string): string => `ssh_authority.private_key.${id}`;

/** Makes the key pair of a new authority, and keeps the last one while system users need it. */
export const createAuthorityHooks = (vault: Vault) =>
  hooksFor(sshAuthority, {
    async afterSave(saved, { tx }) {
      for (const { id, previous } of saved) {
        if (previous) continue;
        const pair = generateSshKeyPair('sallyport-user-ca');
        await sql`update ssh_authority set public_key = ${pair.public.trim()},
          private_key = ${vault.seal(pair.private, authorityContext(id))},
          fingerprint = ${fingerprintOf(pair.public)} where id = ${id}`.execute(tx);
      }
    },
    async beforeDelete({ id }, { caller: { actor }, tx }) {
      // Two deletions at the same time must not remove the last two authorities.
      const { rows } = await sql<{ id: string }>`
        select id from ssh_authority where org_id = ${actor.organization.id} for update`.execute(
        tx,
      );
      if (rows.some((row) => row.id !== id)) return;
      const users = await sql`select from system_account
        where org_id = ${actor.organization.id} and login_mode = 'certificate' limit 1`.execute(tx);
      if (users.rows.length > 0)
        throw new Rejected('in_use', { what: { en: 'system users', zh: '系统用户' } });
    },
  });
