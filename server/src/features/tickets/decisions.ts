import type { ApprovalProgress } from '@sallyport/contract';
import { displayName } from '../../platform/actor.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { writeOperateLog } from '../audits/index.ts';
import { serverIn } from './ask-reviewers.ts';
import { progressOf } from './stages.ts';
import { closeTickets } from './store.ts';

const CHANNEL = 'ticket_decisions';

/** The end of a wait for a ticket. */
export interface TicketDecision {
  readonly verdict: 'approved' | 'rejected' | 'expired' | 'withdrawn';
  /** Name of the reviewer; empty without a decision. */
  readonly by: string;
}

/** A ticket that the server asked for, and the organization that sees it in the log. */
export interface AskedTicket {
  readonly id: string;
  readonly organizationId: string;
  /** Called at the beginning of each of several stages. */
  readonly onStage?: (progress: ApprovalProgress) => void;
}

/** Lets work wait for the decision on a ticket that any server may receive. */
export interface TicketDecisions {
  /** Waits for the decision, the timeout, or the abort of `signal`, which withdraws. */
  wait(ticket: AskedTicket, seconds: number, signal: AbortSignal): Promise<TicketDecision>;
}

export function createTicketDecisions(db: Db, bus: Pick<Bus, 'subscribe'>): TicketDecisions {
  const waiting = new Map<string, () => void>();
  bus.subscribe(
    CHANNEL,
    (ticketId) => waiting.get(ticketId)?.(),
    () => {
      for (const look of waiting.values()) look();
    },
  );
  return {
    async wait(ticket, seconds, signal) {
      const { id, onStage } = ticket;
      let stage = 0;
      const late = AbortSignal.timeout(seconds * 1000);
      const over = AbortSignal.any([signal, late]);
      let look: () => void = () => undefined;
      waiting.set(id, () => look());
      over.addEventListener('abort', () => look());
      try {
        for (;;) {
          const next = new Promise<void>((done) => {
            look = done;
          });
          const decision = await decisionOn(id, db);
          if (decision) return decision;
          const progress = onStage && (await progressOf(id, db));
          if (progress && progress.stages > 1 && progress.stage !== stage) {
            stage = progress.stage;
            onStage(progress);
          }
          if (!over.aborted) await next;
          else if (await transact(db, (tx) => withdraw(ticket, tx)))
            return { verdict: signal.aborted ? 'withdrawn' : 'expired', by: '' };
        }
      } finally {
        waiting.delete(id);
      }
    },
  };
}

/** Tells the server that waits for a ticket, at commit. */
export async function tellDecision(ticketId: string, tx: Tx): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${ticketId})`.execute(tx);
}

/** The decision of a reviewer, or the withdrawal by the user; undefined while it waits. */
async function decisionOn(ticketId: string, db: Db): Promise<TicketDecision | undefined> {
  const { rows } = await sql<{ status: string; action: string; closed_by: string }>`
    select status, action, closed_by from ticket where id = ${ticketId}`.execute(db);
  const [row] = rows;
  if (row?.status === 'open') return undefined;
  if (row?.action === 'approve') return { verdict: 'approved', by: row.closed_by };
  if (row?.action === 'reject') return { verdict: 'rejected', by: row.closed_by };
  return { verdict: 'withdrawn', by: '' };
}

/** Closes a ticket as the server. Returns false if it has ended before. */
async function withdraw({ id, organizationId }: AskedTicket, tx: Tx): Promise<boolean> {
  const caller = serverIn(organizationId);
  const [closed] = await closeTickets([id], displayName(caller.actor), tx);
  if (!closed) return false;
  await writeOperateLog(tx, caller, {
    action: 'update',
    resourceType: 'ticket',
    resource: closed.title,
    resourceId: id,
    changes: { status: ['open', 'closed'] },
  });
  return true;
}
