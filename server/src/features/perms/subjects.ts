import { Permission, user, userGroup } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import { parameter } from '../../http/route.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { GrantSubject } from './grants/accounts.ts';

/** Routes below `prefix`, and whose grants they return. */
export interface SubjectRoutes {
  readonly prefix: string;
  readonly access: number;
  /** @throws NotFound for users and groups outside of the caller's organization */
  readonly subject: (context: Context) => Promise<GrantSubject>;
  /** True for the routes about the caller. */
  readonly own: boolean;
}

/**
 * Returns `users/…` for the caller in all organizations, and `users/{id}/…` and
 * `user-groups/{id}/…` for administrators in the current organization.
 */
export function subjectsOf(engines: Engines): readonly SubjectRoutes[] {
  const caller = async ({ actor }: Context): Promise<GrantSubject> => ({
    userId: actor.userId,
    organizationId: undefined,
  });
  const userInOrganization = async (context: Context): Promise<GrantSubject> => {
    const row = await engineOf(engines, user).reader.retrieve(parameter(context, 'user'), context);
    return { userId: String(row.id), organizationId: context.actor.organization.id };
  };
  const group = async (context: Context): Promise<GrantSubject> => {
    const row = await engineOf(engines, userGroup).reader.retrieve(
      parameter(context, 'group'),
      context,
    );
    return { userId: String(row.id), isGroup: true, organizationId: context.actor.organization.id };
  };
  return [
    { prefix: '/api/v1/perms/users/', access: Permission.USE, subject: caller, own: true },
    {
      prefix: '/api/v1/perms/users/:user/',
      access: Permission.ADMIN,
      subject: userInOrganization,
      own: false,
    },
    {
      prefix: '/api/v1/perms/user-groups/:group/',
      access: Permission.ADMIN,
      subject: group,
      own: false,
    },
  ];
}
