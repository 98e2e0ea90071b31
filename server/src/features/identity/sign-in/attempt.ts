import type { SecondFactor } from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { countAttempt, loginLogEntry, writePasswordChange } from '../../audits/index.ts';
import { replaceAtSignIn } from '../password/replace-at-sign-in.ts';
import { lifetimeOf } from '../sign-in-sessions/lifetime.ts';
import { beginSignIn, type SignInKind } from '../sign-in-sessions/store.ts';
import { proofNow, readPasswordEnd } from '../source-state/proof.ts';
import { logAttempt, refuse } from './attempt-log.ts';
import type { DemandReader } from './demands.ts';
import { succeededFrom } from './lockout.ts';
import {
  advance,
  type Demands,
  type FirstFactor,
  NOTHING,
  type Progress,
  type SignInEvent,
  type Step,
  stepOf,
} from './machine.ts';
import {
  dropPending,
  keepPending,
  keepProgress,
  type Pending,
  type SignInAccount,
  takePending,
} from './pending.ts';
import type { ReviewStep } from './review-step.ts';
import type { Review } from './reviews.ts';
import type { Beginning, Completed, Outcome, SignInOptions, Visitor } from './types.ts';
import { refusalOfAccount } from './validity.ts';

export interface AttemptServices extends Pick<SignInOptions, 'db' | 'settings' | 'lockout'> {
  readonly demands: DemandReader;
  readonly reviewStep: ReviewStep;
}

/** Results of an event that are stored with the progress or returned with the outcome. */
interface Prepared {
  readonly newPassword?: string;
  readonly recoveryCodes?: readonly string[] | undefined;
}

/** One step of a pending sign-in. */
export interface StepOptions {
  /** Absent: continues without a new event. */
  readonly event?: SignInEvent;
  /** Checks and prepares the event under the lock of the pending sign-in. */
  readonly prepare?: (pending: Pending, tx: Tx) => Promise<Prepared>;
  /** False: stores the progress and leaves a sign-in whose demands are met pending. */
  readonly mayComplete?: boolean;
}

/** First step of an attempt, with the demands read before its transaction. */
interface Start {
  readonly account: SignInAccount;
  readonly progress: Proved;
  readonly beginning: Pick<Beginning, 'next' | 'ticket' | 'origin'>;
  readonly demands: Demands;
  readonly offered: readonly SecondFactor[];
}

type Proved = Progress & { readonly first: FirstFactor };
type Completion = Pick<Pending, 'account' | 'newPassword' | 'next' | 'origin'>;

/** An attempt of one client to sign in, from its first factor to the session. */
export class Attempt {
  private readonly services: AttemptServices;
  readonly kind: SignInKind;
  readonly visitor: Visitor;
  private readonly holder: string | undefined;

  constructor(
    services: AttemptServices,
    { kind, visitor, holder }: Pick<Beginning, 'kind' | 'visitor' | 'holder'>,
  ) {
    this.services = services;
    this.kind = kind;
    this.visitor = visitor;
    this.holder = holder;
  }

  /**
   * Starts the sign-in of an identified account. Completes it if nothing else is demanded.
   * @throws Rejected
   */
  async begin(
    account: SignInAccount,
    first: FirstFactor,
    beginning: Pick<Beginning, 'next' | 'ticket' | 'origin'>,
  ): Promise<Outcome> {
    const { db, demands } = this.services;
    await this.assertValid(account, first);
    const current = await demands.of(account, this, db);
    const progress = { ...(advance(NOTHING, first, current.demands) ?? NOTHING), first };
    const { next = '/ui/', ticket, origin = null } = beginning;
    if (!ticket && stepOf(progress, current.demands) === 'in')
      return this.enter({ account, next, origin }, progress, db);
    return db.transaction((tx) => this.beginIn({ account, progress, beginning, ...current }, tx));
  }

  /**
   * Performs one step of a pending sign-in under its lock. Returns undefined if the demands are met
   * and the step may not complete.
   * @throws Rejected
   */
  async step(ticket: string | undefined, options: StepOptions): Promise<Outcome | undefined> {
    return this.services.db.transaction((tx) => this.stepIn(tx, ticket, options));
  }

  private async beginIn(
    { account, progress: begun, beginning, demands, offered }: Start,
    tx: Tx,
  ): Promise<Outcome> {
    const { demands: reader, reviewStep } = this.services;
    const { next = '/ui/', ticket, origin } = beginning;
    const { remoteAddress } = this.visitor;
    const { progress, confirmTicket } = await this.takeOver(ticket, account, begun, tx);
    const pending = {
      account,
      progress,
      next,
      remoteAddress,
      confirmTicket,
      origin: origin ?? null,
    };
    let step = stepOf(progress, demands);
    await this.assertAcceptable(step, account);
    const newTicket = step === 'in' ? '' : await keepPending({ ...pending, kind: this.kind }, tx);
    let review: Review | undefined;
    if (step === 'login_confirm') {
      const settled = await reviewStep.settle(
        {
          ticket: newTicket,
          pending: { ...pending, newPassword: null },
          progress,
          visitor: this.visitor,
        },
        tx,
      );
      review = settled.review;
      step = stepOf(settled.progress, demands);
      if (step === 'in') await reviewStep.drop(newTicket, tx);
    }
    if (step === 'in') return this.complete({ ...pending, newPassword: null }, progress, tx);
    if (step === 'password') throw refuse('session_empty');
    if (step === 'password_expired' && reader.passwordReason(account, this.kind) === 'expired')
      await this.log(tx, account, 'password_expired');
    return reader.describe({
      step,
      account,
      kind: this.kind,
      ticket: newTicket,
      factors: offered,
      review,
    });
  }

  /** Takes over the second factor and the approval of the account's earlier attempt. */
  private async takeOver(
    ticket: string | undefined,
    account: SignInAccount,
    progress: Proved,
    tx: Tx,
  ): Promise<{ readonly progress: Proved; readonly confirmTicket: string | null }> {
    const earlier = ticket ? await takePending(ticket, this.kind, tx) : undefined;
    if (
      !ticket ||
      earlier?.account.id !== account.id ||
      !(earlier.progress.second || earlier.confirmTicket)
    )
      return { progress, confirmTicket: null };
    // An approval is valid only for the address of its request.
    const isSameAddress = earlier.remoteAddress === this.visitor.remoteAddress;
    if (isSameAddress) await dropPending(ticket, tx);
    else await this.services.reviewStep.drop(ticket, tx);
    return {
      progress: {
        ...progress,
        second: progress.second || earlier.progress.second,
        confirmed: isSameAddress && earlier.progress.confirmed,
      },
      confirmTicket: isSameAddress ? earlier.confirmTicket : null,
    };
  }

  private async stepIn(
    tx: Tx,
    ticket: string | undefined,
    { event, prepare, mayComplete = true }: StepOptions,
  ): Promise<Outcome | undefined> {
    const { demands: reader, reviewStep } = this.services;
    const pending = await takePending(ticket, this.kind, tx);
    if (!ticket || !pending) throw refuse('session_empty');
    const { account } = pending;
    // The account may have been disabled since the first step.
    await this.assertValid(account, pending.progress.first);
    const { demands } = await reader.of(account, this, tx);
    let progress = event ? advance(pending.progress, event, demands) : pending.progress;
    if (!progress) throw refuse('session_empty');
    const { newPassword = pending.newPassword, recoveryCodes } =
      (await prepare?.(pending, tx)) ?? {};
    const after = await reader.of(account, this, tx);
    let now = stepOf(progress, after.demands);
    await this.assertAcceptable(now, account);
    let review: Review | undefined;
    if (now === 'login_confirm') {
      ({ progress, review } = await reviewStep.settle(
        { ticket, pending, progress, visitor: this.visitor },
        tx,
      ));
      now = stepOf(progress, after.demands);
    }
    if (now === 'in' && mayComplete) {
      await reviewStep.drop(ticket, tx);
      return {
        ...(await this.complete({ ...pending, newPassword }, progress, tx)),
        ...(recoveryCodes && { recoveryCodes }),
      };
    }
    await keepProgress(ticket, progress, newPassword, tx);
    if (now === 'in' || now === 'password') return undefined;
    return reader.describe({
      step: now,
      account,
      kind: this.kind,
      ticket,
      factors: after.offered,
      review,
    });
  }

  /** Creates the sign-in session, and stores a new password in the same transaction. */
  private async complete(
    { account, newPassword, next, origin }: Completion,
    progress: Progress,
    tx: Tx,
  ): Promise<Completed> {
    const { remoteAddress } = this.visitor;
    if (newPassword !== null) {
      await replaceAtSignIn(account, newPassword, tx);
      await writePasswordChange(tx, { actor: { ...account, remoteAddress } }, account.id);
    }
    const entered = await this.enter({ account, next, origin }, progress, tx);
    return newPassword === null ? entered : { ...entered, passwordEnd: undefined };
  }

  /** Creates the sign-in session with its entry in the login log, in one statement. */
  private async enter(
    { account, next, origin }: Omit<Completion, 'newPassword'>,
    { first, second }: Progress,
    on: Db | Tx,
  ): Promise<Completed> {
    const { id: userId, username, name } = account;
    const { visitor, kind, holder } = this;
    const passwordEnd = first === 'password' ? await readPasswordEnd(account, on) : undefined;
    const mfa = second ? 1 : 0;
    const attempt = { ...visitor, username, userId, reason: '', mfa, passwordEnd } as const;
    const isBySource = first === 'password' || first === 'external';
    const others = sql`
      with entry as (${loginLogEntry(attempt)}),
        ${succeededFrom(visitor.remoteAddress, account)},
        seen as (update account set last_login = now() where id = ${userId})
        ${isBySource ? sql`, proved as (${proofNow(userId)})` : sql``}`;
    const from = { kind, from: visitor, holder, seconds: lifetimeOf(kind, this.services.settings) };
    const proofs = { secondPassed: second, passwordPassed: first === 'password' };
    const signIn = await beginSignIn(on, { ...from, userId, ...proofs, origin }, others);
    countAttempt(attempt);
    const end = passwordEnd ?? this.services.demands.localPasswordEnd(account);
    return { step: 'in', ...signIn, userId, username, name, next, passwordEnd: end };
  }

  private async assertValid(account: SignInAccount, first: FirstFactor | undefined): Promise<void> {
    const { db, settings } = this.services;
    const { remoteAddress } = this.visitor;
    const refusal = refusalOfAccount(account, { first, kind: this.kind, remoteAddress, settings });
    if (!refusal) return;
    await this.log(db, account, refusal.reason);
    throw refusal.error;
  }

  /** Scripts cannot accept a text: their users accept it in a browser or a terminal first. */
  private async assertAcceptable(step: Step, account: SignInAccount): Promise<void> {
    if (step !== 'notice' || this.kind !== 'bearer') return;
    await this.log(this.services.db, account, 'notice_unaccepted');
    throw refuse('notice_unaccepted');
  }

  private log(
    on: Parameters<typeof logAttempt>[0],
    { username, id: userId }: SignInAccount,
    reason: Parameters<typeof logAttempt>[2]['reason'],
  ): Promise<void> {
    return logAttempt(on, this.visitor, { username, userId, reason });
  }
}
