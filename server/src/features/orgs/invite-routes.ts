import { choice, list, type OrganizationRole, Permission, type Problem } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { displayName } from '../../http/actor.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { Invalid, InvalidItems, invalid, Refusal } from '../../http/problem.ts';
import type { ResourceServices } from '../../http/resource/hooks.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { takeTurn } from '../perms/grants/turn.ts';

const MAX_INVITED = 100;
const FIELDS = {
  accounts: list({ label: { en: 'Usernames or e-mail addresses', zh: '用户名或邮箱' }, max: 128, minItems: 1, maxItems: MAX_INVITED }),
  role: choice({
    label: { en: 'Role', zh: '角色' },
    choices: [
      { value: 'User', label: { en: 'User', zh: '用户' } },
      { value: 'Auditor', label: { en: 'Auditor', zh: '审计员' } },
      { value: 'Admin', label: { en: 'Administrator', zh: '管理员' } },
    ],
    defaultValue: 'User',
  }),
};

interface Found {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly wanted: string;
  readonly is_member: boolean;
}

/** Takes accounts that exist elsewhere into the current organization. */
export function mountInvitations(app: FastifyInstance, { db, audit }: Pick<ResourceServices, 'db' | 'audit'>): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/users/users/invite/',
    access: Permission.ADMIN,
    summary: 'Take accounts into the current organization, each named by its exact username or e-mail address.',
    body: FIELDS,
    answer: samples([{ id: exampleId('user'), username: 'li.wei', name: 'Li Wei' }]),
    status: 201,
    async handler(context) {
      const { actor } = context;
      const { accounts, role = 'User' } = readBody(context) as { accounts: string[]; role?: OrganizationRole };
      if (actor.organization.id === '') throw new Refusal(400, 'invite_outside');
      // Whoever administers an organization does not make others its administrators.
      if (role !== 'User' && (actor.permissions & Permission.SUPER) === 0) throw invalid('role', 'role_protected');
      const wanted = accounts.map((account) => account.trim());
      return db.transaction().execute(async (tx) => {
        await takeTurn(tx);
        const { rows } = await sql<Found>`
          select t.id, t.name, t.username, asked.wanted,
            exists (select 1 from organization_member held where held.organization_id = ${actor.organization.id}::uuid and held.user_id = t.id and held.role = ${role}) as is_member
          from unnest(${wanted}::text[]) as asked (wanted) join account t on t.username = asked.wanted or lower(t.email) = lower(asked.wanted)
          order by t.id for key share of t`.execute(tx);
        const problems = wanted.map((account): Record<string, Problem[]> => {
          const found = rows.filter((row) => row.wanted === account);
          // Somebody's username may look like somebody else's address: then it is not said who is meant.
          if (found.length !== 1) return { accounts: [{ code: 'account_unknown' }] };
          return found[0]?.is_member ? { accounts: [{ code: 'member_already' }] } : {};
        });
        if (problems.some((problem) => Object.keys(problem).length > 0))
          throw wanted.length === 1 ? new Invalid(problems[0] ?? {}) : new InvalidItems(problems);
        const ids = [...new Set(rows.map(({ id }) => id))];
        await sql`insert into organization_member (organization_id, user_id, role) select ${actor.organization.id}::uuid, u, ${role} from unnest(${ids}::uuid[]) u`.execute(
          tx,
        );
        const label = { User: 'users', Auditor: 'auditors', Admin: 'admins' }[role];
        await audit(tx, context, {
          action: 'update',
          resourceType: 'organization',
          resource: actor.organization.name,
          resourceId: actor.organization.id,
          changes: { [label]: [[], rows.map(displayName)] },
        });
        context.reply.code(201);
        return rows.map(({ id, username, name }) => ({ id, username, name }));
      });
    },
  });
}
