import { say, type ticket } from '@sallyport/contract';
import type { Operation, Saved } from '../../resources/hooks.ts';
import { writeOperateLog } from '../audits/index.ts';
import type { TicketKind } from './kinds.ts';
import type { TicketMails } from './mails.ts';
import { type Decider, keepDecision, type OpenStage, openStage } from './stages.ts';
import { addComment } from './store.ts';

const APPROVED_STAGE = {
  en: '{who} approved stage {stage} of {stages}',
  zh: '{who} 同意了第 {stage} 级审批（共 {stages} 级）',
};

/** An approval of a stage that is not the last. */
export interface PassedStage {
  readonly open: OpenStage;
  /** The reviewers of the next stage. */
  readonly next: readonly string[];
}

/** The change of the operate log that names the reviewer of a deputy. */
export const decidedFor = ({ deputyOf }: Decider) =>
  deputyOf ? { decided_for: ['', deputyOf.name] as const } : {};

/** Writes what the log of the saved row does not say about a decision. */
export async function logDecision(
  { id, title }: { readonly id: string; readonly title: string },
  changes: Readonly<Record<string, readonly [unknown, unknown]>>,
  { caller, tx }: Operation,
): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  await writeOperateLog(tx, caller, {
    action: 'update',
    resourceType: 'ticket',
    resource: title,
    resourceId: id,
    changes,
  });
}

/** Opens the next stage of a ticket: comment, log, and news for its reviewers. */
export async function passStage(
  { id, previous }: Saved<typeof ticket>,
  { open: { stage, stages }, next }: PassedStage,
  parts: {
    readonly by: Decider;
    readonly kind: TicketKind;
    readonly mails: Pick<TicketMails, 'asked'>;
  },
  operation: Operation,
): Promise<void> {
  const { caller, tx } = operation;
  const { by, kind, mails } = parts;
  await keepDecision(id, stage, by, tx);
  await openStage(id, stage + 1, next, tx);
  const text = say(APPROVED_STAGE, caller.language, { who: by.name, stage, stages });
  await addComment(id, by, text, tx);
  const passed = { stage: [stage, stage + 1] as const, ...decidedFor(by) };
  await logDecision({ id, title: previous?.title ?? '' }, passed, operation);
  await kind.passed?.(id, operation);
  // The news name the requester, not the reviewer before.
  const actor = { ...caller.actor, name: previous?.user_display ?? '', username: '' };
  await mails.asked(id, [], { ...caller, actor }, tx);
}
