import type { Problem } from '@sallyport/contract';
import type { Grant } from '../../ports/grant.ts';
import type { Guard } from '../../ports/guard.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { problemOf, Refusal } from '../../refusal.ts';

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

/** An account on a host, and the owner and the leash that reach it. */
interface AgentPlace {
  readonly person: Person;
  readonly leash: LeashTerms;
  readonly assetId: string;
  readonly systemUserId: string;
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

/**
 * Returns why the owner of an agent may not use an account from the address of a request; undefined
 * if permission, conditions and leash allow it. Never throws.
 */
export async function refusalOfAgent(
  { person, leash, assetId, systemUserId }: AgentPlace,
  ports: GatewayPorts,
): Promise<Problem | undefined> {
  try {
    await leashedPorts(ports, leash).access.check(person, assetId, systemUserId);
    return undefined;
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === 'internal') ports.log.error({ err: error }, 'a check of an agent failed');
    return problem;
  }
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
