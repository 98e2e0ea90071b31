import type { Grant } from '../../ports/grant.ts';
import type { Guard } from '../../ports/guard.ts';
import type { GatewayPorts } from '../../ports.ts';
import { Refusal } from '../../refusal.ts';

/** The limits of a leash, in addition to the checks of its owner's own sessions. */
export interface LeashTerms {
  /** Returns true if the leash names the account on the host. */
  covers(target: {
    readonly host: string;
    readonly account: string;
    readonly username: string;
  }): boolean;
  /** Returns the line to run, or why the leash refuses it. */
  decide(line: string): { readonly line: string } | { readonly refusal: string };
}

/**
 * Limits the ports of the gateway to a leash: each check of a permission also checks the leash, now
 * and while a session lasts, and each command passes the leash before the guard.
 */
export function leashedPorts(ports: GatewayPorts, leash: LeashTerms): GatewayPorts {
  const { access, openings, guard } = ports;
  const covered = (grant: Grant): Grant => {
    const { asset, systemUser } = grant;
    const { name: account, username } = systemUser;
    if (!leash.covers({ host: asset.hostname, account, username })) throw new Refusal('agent_host');
    return grant;
  };
  return {
    ...ports,
    access: {
      ...access,
      check: async (...target) => covered(await access.check(...target)),
    },
    ...(openings && {
      openings: {
        async read(...target) {
          const opening = await openings.read(...target);
          if (opening) covered(opening.grant);
          return opening;
        },
      },
    }),
    guard: leashedGuard(guard, leash),
  };
}

const refuse = async () => ({ kind: 'deny', message: '' }) as const;

/** A guard for whole commands only: an agent has no terminal and no database. */
function leashedGuard(guard: Guard | undefined, leash: LeashTerms): Guard {
  return {
    applies: () => true,
    settled: async (session) => guard?.settled(session),
    before: refuse,
    beforeStatement: refuse,
    async beforeExec(command, session) {
      const decision = leash.decide(command);
      if ('refusal' in decision) return { kind: 'deny', message: decision.refusal };
      return guard
        ? guard.beforeExec(decision.line, session)
        : { kind: 'allow', command: decision.line };
    },
  };
}
