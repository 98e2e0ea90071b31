import { CHANGE_DATA, type Problem } from '@sallyport/contract';
import { type Grant, type TargetKind, targetOf } from '../../ports/grant.ts';
import type { Guard } from '../../ports/guard.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { problemOf, Refusal } from '../../refusal.ts';

/** An account on a server or a database. */
export interface LeashedPlace {
  readonly kind: TargetKind;
  readonly host: string;
  readonly account: string;
  readonly username: string;
}

/** The limits of a leash, in addition to the checks of its owner's own sessions. */
export interface LeashTerms {
  /** Returns true if the leash names the account on the server or database. */
  covers(place: LeashedPlace): boolean;
  /** Returns the line to run, or why the leash refuses it. */
  decide(line: string): { readonly line: string } | { readonly refusal: string };
  /** Returns why the leash refuses a statement in one of its spellings; undefined if allowed. */
  refusalOf(spellings: readonly string[]): string | undefined;
  /** True if statements may change databases. */
  readonly mayChange: boolean;
}

/** An account on a host, and the owner and the leash that reach it. */
interface AgentPlace {
  readonly person: Person;
  readonly leash: LeashTerms;
  readonly assetId: string;
  readonly systemUserId: string;
  readonly kind: 'asset' | 'database_app';
}

/**
 * Returns a permission within a leash. At a database, an UPDATE or DELETE first shows its rows, and
 * each statement has a separate transaction.
 */
function limited(grant: Grant, { mayChange }: LeashTerms): Grant {
  const { database, actions } = grant;
  if (!database) return grant;
  return {
    ...grant,
    actions: mayChange ? actions : actions & ~CHANGE_DATA,
    database: { ...database, previewsChanges: true, isUnasked: false, startsTransactions: false },
  };
}

/**
 * Limits the ports of the gateway to a leash: each check of a permission also checks the leash, now
 * and while a session lasts, and each command passes the leash before the guard.
 */
export function leashedPorts(ports: GatewayPorts, leash: LeashTerms): GatewayPorts {
  const { access, openings, guard } = ports;
  const covered = (grant: Grant): Grant => {
    const { kind, name: host } = targetOf(grant);
    const { name: account, username } = grant.systemUser;
    if (!leash.covers({ kind, host, account, username })) throw new Refusal('agent_host');
    return limited(grant, leash);
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
          return opening && { ...opening, grant: covered(opening.grant) };
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
  { person, leash, assetId, systemUserId, kind }: AgentPlace,
  ports: GatewayPorts,
): Promise<Problem | undefined> {
  try {
    await leashedPorts(ports, leash).access.check(person, assetId, systemUserId, kind);
    return undefined;
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === 'internal') ports.log.error({ err: error }, 'a check of an agent failed');
    return problem;
  }
}

/** A guard for whole commands and statements: an agent has no terminal. */
function leashedGuard(guard: Guard | undefined, leash: LeashTerms): Guard {
  return {
    applies: () => true,
    settled: async (session) => guard?.settled(session),
    before: async () => ({ kind: 'deny', message: '' }),
    async beforeStatement(statement, session) {
      const message = leash.refusalOf([...statement.lines, ...statement.spellings]);
      if (message !== undefined) return { kind: 'deny', message };
      return guard ? guard.beforeStatement(statement, session) : { kind: 'allow' };
    },
    async beforeExec(command, session) {
      const decision = leash.decide(command);
      if ('refusal' in decision) return { kind: 'deny', message: decision.refusal };
      return guard
        ? guard.beforeExec(decision.line, session)
        : { kind: 'allow', command: decision.line };
    },
  };
}
