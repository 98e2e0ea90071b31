import type { GroupMappingPreview } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../../http/openapi/examples.ts';
import { route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import type { Db } from '../../../platform/db/database.ts';
import { SUPER } from '../../../platform/settings/service.ts';
import { mappedChanges, seenGroups } from './store.ts';

/** Maximum rows of each list of the preview. */
const MOST_ROWS = 500;

const PREVIEW = samples<GroupMappingPreview>({
  users: 120,
  changes: [
    {
      user_id: exampleId('user'),
      user: 'Li Wei(li.wei)',
      kind: 'join',
      what: 'Operations',
      before: '',
      is_controlled: false,
    },
  ],
  is_complete: true,
  seen: [{ source: 'ldap', name: 'cn=ops,ou=groups,dc=example,dc=com', users: 40 }],
});

/** The preview of the group mappings. */
export function mountGroupMappings(app: FastifyInstance, db: Db): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/users/group-mappings/preview/',
    access: SUPER,
    area: 'rules',
    summary: 'Preview the access that users would gain and lose if all group mappings were active.',
    answer: PREVIEW,
    async handler(): Promise<GroupMappingPreview> {
      const wish = { only: null, isPreview: true, limit: MOST_ROWS + 1 };
      const changes = await mappedChanges(wish, db);
      const { groups: seen, users } = await seenGroups(MOST_ROWS, db);
      return {
        users,
        changes: changes
          .slice(0, MOST_ROWS)
          .map(({ group_id: _group, org_id: _organization, ...change }) => change),
        is_complete: changes.length <= MOST_ROWS,
        seen,
      };
    },
  });
}
