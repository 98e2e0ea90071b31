import type { Tx } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { inLanguage } from '../language.ts';

const GROUP = 'cn=operations,ou=groups,dc=example,dc=com';

/**
 * Inserts an inactive mapping of a directory's group, and the groups that the directory reported of
 * its users, so that the preview has rows.
 */
export async function fillGroupMappings(tx: Tx): Promise<void> {
  await sql`
    insert into group_mapping (name, source, provider_group, comment)
    values ('LDAP operations', 'ldap', ${GROUP}, ${inLanguage('预览后再启用 · Look at the preview, then activate')})`.execute(
    tx,
  );
  await sql`
    insert into group_mapping_user_groups (group_mapping_id, user_group_id)
    select m.id, g.id from group_mapping m,
      lateral (select id from user_group where org_id = '' order by name limit 1) g`.execute(tx);
  await sql`
    insert into provider_groups (user_id, source, groups)
    select id, 'ldap', array[${GROUP}::text, 'cn=staff,ou=groups,dc=example,dc=com']
    from account where source = 'ldap' order by username limit 8`.execute(tx);
}
