import { describePasswordEnd, type Language, type Problem, say } from '@sallyport/contract';
import { type AuthContext, type AuthenticationType, readUserKey, sendBanner } from '@sallyport/ssh';
import { isFault, openingProblemOf, wordProblem } from '../../refusal.ts';
import type { AuthenticationParts } from './authentication-parts.ts';
import { MAX_NAME, readDestination, siteOf } from './destination.ts';
import { hashOf, MAX_KEY } from './key-context.ts';
import type { SignedInUser, SshStep } from './ports.ts';
import { SHOWN_PROBLEMS } from './shown-problems.ts';
import {
  ask,
  hidden,
  MAX_ANSWER,
  type PendingStep,
  SignInSteps,
  type StepOutcome,
  wordBoth,
} from './sign-in-steps.ts';
import { provenSite } from './site-sign-in.ts';
import { inBoth, words } from './words.ts';

/**
 * Limits per connection: failures, including wrong codes and rejected new passwords, and offered
 * keys.
 */
const MAX_FAILURES = 6;
const MAX_OFFERED_KEYS = 20;

type Context<Method> = Extract<AuthContext, { readonly method: Method }>;

/**
 * Authenticates the client of one connection: a first factor, then all steps of the sign-in state
 * machine. RFC 4252 and 4256.
 */
export class Authentication {
  private readonly parts: AuthenticationParts;
  private pending: PendingStep | undefined;
  /**
   * The problem of a sign-in that cannot continue after its first factor; shown with the next
   * question.
   */
  private finalProblem: Problem | undefined;
  private failures = 0;
  private offeredKeys = 0;
  private siteAttempts = 0;
  private isOver = false;
  private turn: Promise<void> = Promise.resolve();
  private readonly gone = new AbortController();
  private readonly steps: SignInSteps;

  constructor(parts: AuthenticationParts) {
    this.parts = parts;
    this.steps = new SignInSteps({
      ...parts,
      signIns: parts.ports.signIns,
      forget: () => {
        this.pending = undefined;
      },
      isOver: () => this.isOver,
      signal: this.gone.signal,
    });
    const { notice } = parts.ports.settings();
    if (notice)
      parts.connection.once('authentication', () =>
        sendBanner(parts.connection, notice.replaceAll('\n', '\r\n')),
      );
    parts.connection.on('authentication', (context) => {
      // A client may send its next attempt before the answer to this one.
      this.turn = this.turn.then(() => this.handle(context));
    });
  }

  /** The connection has closed: cancels a sign-in in progress. */
  stop(): void {
    this.isOver = true;
    this.gone.abort();
    if (this.pending)
      void this.parts.ports.signIns.cancel(this.pending.ticket).catch(() => undefined);
    this.pending = undefined;
  }

  private async handle(context: AuthContext): Promise<void> {
    if (this.isOver) return;
    try {
      if (context.username.length > MAX_NAME) this.refuse(context);
      else await this.attempt(context);
    } catch (error) {
      const problem = await openingProblemOf(error, this.parts.databaseAnswers);
      if (problem.code === 'connect_database_away' || isFault(problem))
        this.parts.log.error({ err: error }, 'a sign-in over SSH failed');
      if (problem.code !== 'internal' && isFault(problem)) {
        // No other method helps, and many clients ask no second question.
        this.isOver = true;
        this.parts.giveUp(wordProblem(problem, 'en'));
        return;
      }
      // A client with keys only would not see it as the answer to a question.
      if (problem.code === 'too_many_requests' && context.method === 'publickey')
        sendBanner(this.parts.connection, wordBoth(problem));
      this.fail(context, problem);
    }
  }

  private async attempt(context: AuthContext): Promise<void> {
    const site = siteOf(context.username);
    if (site !== undefined) await this.site(context, site);
    else if (context.method === 'password') await this.password(context);
    else if (context.method === 'publickey') await this.publicKey(context);
    else if (context.method === 'keyboard-interactive') await this.interactive(context);
    else this.refuse(context);
  }

  private async password(context: Context<'password'>): Promise<void> {
    const { ports, visitor } = this.parts;
    // In a password change request this field is an object.
    if (this.pending || !ports.settings().password || typeof context.password !== 'string') {
      this.refuse(context);
      return;
    }
    const { username } = readDestination(context.username);
    this.proceed(
      context,
      await ports.signIns.withPassword(
        username,
        context.password.slice(0, MAX_ANSWER + 1),
        visitor,
      ),
    );
  }

  /** A site signs in with its own key, and with nothing else. */
  private async site(context: AuthContext, id: string): Promise<void> {
    if (++this.siteAttempts > MAX_OFFERED_KEYS) {
      this.parts.giveUp(say(words.tooManyKeys, 'en', { limit: MAX_OFFERED_KEYS }));
      return;
    }
    const site = await provenSite(context, id, this.parts.ports.sites);
    // The client may have left in the meantime.
    if (!site || this.isOver) return;
    this.isOver = true;
    this.parts.onSite(site);
    context.accept();
  }

  private async publicKey(context: Context<'publickey'>): Promise<void> {
    const { ports, visitor } = this.parts;
    const { data } = context.key;
    const key = data.length <= MAX_KEY ? readUserKey(data) : undefined;
    // Require SHA-2 signatures of RSA keys: without a hash the signature uses SHA-1.
    const isStrong =
      context.key.algo !== 'ssh-rsa' ||
      hashOf(context) !== undefined ||
      ports.settings().oldAlgorithms;
    if (
      this.pending ||
      !ports.settings().publicKey ||
      key?.type !== context.key.algo ||
      !isStrong
    ) {
      this.refuse(context);
      return;
    }
    const { username } = readDestination(context.username);
    if (!context.signature || !context.blob) {
      if (++this.offeredKeys > MAX_OFFERED_KEYS)
        this.parts.giveUp(say(words.tooManyKeys, 'en', { limit: MAX_OFFERED_KEYS }));
      else if (await ports.signIns.mayUseKey(username, data)) context.accept();
      else this.refuse(context);
      return;
    }
    if (key.verify(context.blob, context.signature, hashOf(context)) !== true) {
      this.fail(context);
      return;
    }
    this.proceed(context, await ports.signIns.withKey(username, data, visitor));
  }

  private async interactive(context: Context<'keyboard-interactive'>): Promise<void> {
    const { ports, visitor } = this.parts;
    if (this.finalProblem) {
      const problem = this.finalProblem;
      await this.steps.tell(context, wordBoth(problem));
      this.isOver = true;
      this.parts.giveUp(wordProblem(problem, 'en'));
      return;
    }
    if (!this.pending) {
      if (!ports.settings().password) {
        this.refuse(context);
        return;
      }
      const answers = await ask(context, [hidden('Password: ')]);
      if (!answers) {
        this.reject(context);
        return;
      }
      const outcome = await ports.signIns.withPassword(
        readDestination(context.username).username,
        answers[0] ?? '',
        visitor,
      );
      if (outcome.step === 'in') {
        this.complete(context, outcome.user);
        return;
      }
      this.pending = outcome;
    }
    await this.answerSteps(context);
  }

  private async answerSteps(context: Context<'keyboard-interactive'>): Promise<void> {
    let hint = '';
    while (this.pending) {
      const outcome: StepOutcome = await this.steps.answer(context, this.pending, hint);
      if (outcome === 'end attempt') {
        if (!this.isOver) this.refuse(context);
        return;
      }
      if ('end' in outcome) {
        this.isOver = true;
        this.parts.giveUp(outcome.end);
        return;
      }
      if ('hint' in outcome) hint = outcome.hint;
      else if (outcome.step === 'in') {
        this.pending = undefined;
        this.complete(context, outcome.user);
      } else {
        hint = '';
        this.pending = outcome;
      }
    }
  }

  private proceed(context: AuthContext, outcome: SshStep): void {
    if (outcome.step === 'in') {
      this.complete(context, outcome.user);
      return;
    }
    if (this.isOver) void this.parts.ports.signIns.cancel(outcome.ticket).catch(() => undefined);
    this.pending = outcome;
    // Clients without a terminal show this text and then fail.
    if (outcome.step === 'notice') sendBanner(this.parts.connection, inBoth(words.acceptFirst));
    context.reject(['keyboard-interactive'], true);
  }

  private complete(context: AuthContext, user: SignedInUser): void {
    if (this.isOver) {
      void this.parts.ports.signIns.end(user.loginId).catch(() => undefined);
      return;
    }
    this.isOver = true;
    const text = (language: Language) =>
      user.passwordEnd ? describePasswordEnd(user.passwordEnd, language) : '';
    if (text('en') !== '') sendBanner(this.parts.connection, `${text('en')} / ${text('zh')}`);
    this.parts.onSignedIn(user, readDestination(context.username));
    context.accept();
  }

  /** Rejects an attempt that proved nothing. Only passwords count as failures. */
  private refuse(context: AuthContext): void {
    if (context.method !== 'none' && context.method !== 'publickey') this.failures++;
    this.reject(context);
  }

  private fail(context: AuthContext, problem?: Problem): void {
    this.failures++;
    // Show the reason only after a right first factor, or for a lockout, which any name can have.
    if (problem && SHOWN_PROBLEMS.has(problem.code)) this.finalProblem = problem;
    this.reject(context);
  }

  private reject(context: AuthContext): void {
    if (this.failures >= MAX_FAILURES)
      this.parts.giveUp(
        this.finalProblem ? wordProblem(this.finalProblem, 'en') : say(words.tooManyFailures, 'en'),
      );
    else context.reject(this.methods());
  }

  private methods(): AuthenticationType[] {
    if (this.pending || this.finalProblem) return ['keyboard-interactive'];
    const { password, publicKey } = this.parts.ports.settings();
    return [
      ...(publicKey ? (['publickey'] as const) : []),
      ...(password ? (['password', 'keyboard-interactive'] as const) : []),
    ];
  }
}
