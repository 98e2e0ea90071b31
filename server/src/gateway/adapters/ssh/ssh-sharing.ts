import { secretLink } from '@sallyport/contract';
import type { identity } from '../../../features/identity/index.ts';
import type { InvitationService } from '../../../features/sessions/index.ts';
import type { Module } from '../../../module.ts';
import { type Actor, DEFAULT_ZONE } from '../../../platform/actor.ts';
import type { SshSharing } from '../../listeners/ssh/ports.ts';
import type { Person } from '../../ports/people.ts';
import { Refusal } from '../../refusal.ts';

type ServiceOf<M> = M extends Module<infer Service> ? Service : never;

/**
 * Lets SSH clients share sessions and join shared ones, with the invitations of the web terminal.
 * `site` is the console's base URL.
 */
export function createSshSharing(
  invitations: InvitationService,
  current: ServiceOf<typeof identity>['current'],
  site: () => string,
): SshSharing {
  const actorOf = async ({ userId, remoteAddr }: Person): Promise<Actor> => {
    const actor = await current.actor(userId, '', remoteAddr ?? '');
    if (!actor) throw new Refusal('session_signed_out');
    return actor;
  };
  return {
    live: (session) => invitations.live(session),
    own: ({ userId }) => invitations.terminals(userId),
    async invite(person, session, { mayType, minutes }) {
      const caller = { actor: await actorOf(person), zone: DEFAULT_ZONE };
      const { secret } = await invitations.create(
        session,
        { mayType, minutes, forUsername: null },
        caller,
      );
      const link = secretLink('guest', { site: site(), secret, language: person.language });
      return { secret, link };
    },
    end: async (person, session) => invitations.revokeAll(session, await actorOf(person)),
    async accept(person, secret) {
      const { invitation, session, user, asset } = await invitations.accept(
        secret,
        await actorOf(person),
        { ...person, loginFrom: 'ST' },
      );
      return { invitation, session, user, asset };
    },
  };
}
