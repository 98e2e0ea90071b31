import type { Grant } from '../ports/grant.ts';
import { Refusal } from '../refusal.ts';
import { askInTime, type FactorQuestion } from './require-factor.ts';

/** Time in which reviewers decide while a user waits. */
export const APPROVAL_SECONDS = 10 * 60;

const REFUSALS = {
  rejected: 'connect_approval_rejected',
  expired: 'connect_approval_expired',
  withdrawn: 'connect_approval_withdrawn',
  nobody: 'connect_approval_nobody',
} as const;

/** An approval of a connection. */
export interface Approved {
  /** The ticket; undefined if the permission asks for none. */
  readonly ticketId: string | undefined;
  /** True if the user waited: check the permission again. */
  readonly hasWaited: boolean;
}

/**
 * Enforces the approval that a permission requires. Accepts a valid one, else asks the user for a
 * reason and waits for a reviewer.
 * @throws Refusal
 */
export async function requireApproval(
  { ports: { approvals }, person, client, signal }: FactorQuestion,
  grant: Grant,
): Promise<Approved> {
  if (!grant.approval) return { ticketId: undefined, hasWaited: false };
  const connection = { person, grant };
  const valid = await approvals?.find(connection);
  if (valid !== undefined) return { ticketId: valid, hasWaited: false };
  const { askReason, waitSeconds } = client;
  if (!approvals || (!askReason && waitSeconds === undefined))
    throw new Refusal('connect_approval_needed');
  const answer = askReason ? await askInTime(askReason.call(client), signal) : undefined;
  client.stage('approval');
  const decision = await approvals.decide(
    { ...connection, reason: answer?.reason ?? '', seconds: waitSeconds ?? APPROVAL_SECONDS },
    answer?.withdrawn ? AbortSignal.any([signal, answer.withdrawn]) : signal,
    (progress) => client.stage('approval', undefined, progress),
  );
  signal.throwIfAborted();
  const { verdict, by, ticketId } = decision;
  if (verdict !== 'approved') throw new Refusal(REFUSALS[verdict], { by });
  return { ticketId, hasWaited: true };
}
