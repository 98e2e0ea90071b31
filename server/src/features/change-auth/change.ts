import { type LocalText, say } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { publicKeyLine } from '../../platform/ssh-keys.ts';
import type { AssetAccounts } from '../assets/accounts.ts';
import type { AssetReport, RemoteIdentity, RemoteKinds, RemoteWork } from '../ops/remote-work.ts';
import { type KnownSecrets, knownSecrets, storedBeside } from './known.ts';
import {
  endPending,
  endSubtask,
  keepPending,
  type Outcome,
  openPending,
  type SecretKind,
  type Subtask,
  setStep,
} from './store.ts';
import { words } from './words.ts';

/** Seconds for a change with its proof. */
const CHANGE_SECONDS = 90;
/** The server refused the account; everything else may be a server that is away. */
const REFUSED = 'connect_credentials';

/** The server did not take it. Anything else says nothing about the secret. */
const isRefused = (report: AssetReport<unknown>): boolean =>
  report.state === 'failed' && report.code === REFUSED;
const NOTHING: LocalText = { en: '', zh: '' };
/** Why, where a report has a reason. */
const reasonOf = (report: AssetReport<unknown>): LocalText =>
  report.state === 'done' ? NOTHING : report.reason;
/** The server took the secret: it signed the account in, also one that has no shell. */
const isAccepted = (report: AssetReport<unknown>) =>
  report.state === 'done' || (report.state === 'failed' && report.reached);

/** What an account is to have from now on; one of them at least. */
export interface NewSecrets {
  readonly password?: string | undefined;
  readonly privateKey?: string | undefined;
}

/** One secret that is set: what it is, and the secret itself. */
interface Secret {
  readonly kind: SecretKind;
  readonly text: string;
}

export interface ChangeOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly accounts: AssetAccounts;
  readonly remote: () => RemoteWork;
  /** Who asked for it, as the operate log names them. */
  readonly by: (subtask: Subtask) => Pick<Caller, 'actor'>;
  readonly signal: AbortSignal;
}

const filled = (text: LocalText, reason: LocalText): LocalText => ({
  en: say(text, 'en', { reason: reason.en }),
  zh: say(text, 'zh', { reason: reason.zh }),
});
const DONE: Outcome = { isSuccess: true, isSettled: true };

/**
 * Changes the password and the key of one account on one server, one after the other, so that
 * nobody is locked out: the new secret is kept here, sealed, before the server is touched; the
 * server keeps the old one ready until a sign-in with the new one has succeeded on a connection of
 * its own; without that the server takes its change back. What was interrupted is settled by
 * signing in.
 */
export class Change {
  private readonly options: ChangeOptions;

  constructor(options: ChangeOptions) {
    this.options = options;
  }

  /**
   * Changes it, or settles what an earlier run left and then changes the rest. Never throws for
   * what a server does.
   */
  async run(subtask: Subtask, secrets: () => Promise<NewSecrets>): Promise<Outcome> {
    const { pending, pendingKind } = subtask;
    if (pending !== null && pendingKind === 'key') return this.settle({ ...subtask, pending });
    const { password, privateKey } = await secrets();
    if (pending !== null) {
      const settled = await this.settle({ ...subtask, pending }, privateKey === undefined);
      return settled.isSuccess && privateKey !== undefined
        ? this.set(subtask, { kind: 'key', text: privateKey }, true)
        : settled;
    }
    if (password !== undefined) {
      const set = await this.set(
        subtask,
        { kind: 'password', text: password },
        privateKey === undefined,
      );
      if (!set.isSuccess || privateKey === undefined) return set;
    }
    return privateKey === undefined
      ? DONE
      : this.set(subtask, { kind: 'key', text: privateKey }, true);
  }

  /**
   * Finds out which secret is in force after a change was interrupted. `isLast`: nothing else is
   * changed after it.
   */
  async settle(subtask: Subtask & { readonly pending: string }, isLast = true): Promise<Outcome> {
    if (subtask.assetId === null)
      return this.end(subtask, { isSuccess: false, isSettled: true, reason: words.gone });
    const secret: Secret = {
      kind: subtask.pendingKind,
      text: openPending(subtask, this.options.vault),
    };
    const tried = await this.signIn(subtask, secret);
    // Once more from the beginning: a run that was cut off may still take its change back, but
    // never this one.
    if (isAccepted(tried))
      return this.change(
        subtask,
        secret,
        subtask.isAdmin
          ? this.offered(subtask, secret, await this.known(subtask))
          : { kind: 'admin_user' },
        isLast,
      );
    if (!isRefused(tried))
      return this.end(subtask, {
        isSuccess: false,
        isSettled: false,
        reason: filled(words.later, reasonOf(tried)),
      });
    return this.hasOld(
      subtask,
      secret,
      secret.kind === 'key' ? words.oldKey : words.old,
      reasonOf(tried),
    );
  }

  /** Tries a change without making it, keeps the new secret, and makes it. */
  private async set(subtask: Subtask, secret: Secret, isLast: boolean): Promise<Outcome> {
    const { db, vault } = this.options;
    await setStep(subtask.id, 'preflight', db);
    const check = await this.apply(subtask, secret, { check: true });
    if (check.state !== 'done')
      return this.end(subtask, { isSuccess: false, isSettled: true, reason: check.reason });
    if (!(await keepPending(subtask, secret.kind, secret.text, vault, db)))
      return this.end(subtask, { isSuccess: false, isSettled: true, reason: words.pending });
    return this.change(subtask, secret, { kind: 'admin_user' }, isLast);
  }

  private async change(
    subtask: Subtask,
    secret: Secret,
    as: RemoteIdentity,
    isLast: boolean,
  ): Promise<Outcome> {
    const { db } = this.options;
    let refusal: LocalText = NOTHING;
    const report = await this.apply(subtask, secret, {
      as,
      secondsPerAsset: CHANGE_SECONDS,
      decide: async () => {
        await setStep(subtask.id, 'verify', db);
        const proof = await this.signIn(subtask, secret);
        refusal = reasonOf(proof);
        return isAccepted(proof);
      },
    });
    if (report.state === 'done' && !report.result.isUndone) {
      await setStep(subtask.id, 'keep', db);
      await db.transaction().execute(async (tx) => {
        await this.store(subtask, secret, tx);
        await (isLast ? endSubtask(subtask.id, DONE, tx) : endPending(subtask.id, tx));
      });
      return DONE;
    }
    // The job goes on later, or what it left is settled.
    if (this.options.signal.aborted) return { isSuccess: false, isSettled: false };
    if (report.state === 'done')
      return this.hasOld(
        subtask,
        secret,
        secret.kind === 'key' ? words.refusedKey : words.refused,
        refusal,
        true,
      );
    // Nothing was sent to the server, or its script says itself that nothing was changed.
    const isUntouched =
      report.state === 'skipped' ||
      !report.reached ||
      report.code === 'remote_no_account' ||
      report.code === 'remote_become';
    if (isUntouched && as.kind === 'admin_user')
      return this.end(subtask, { isSuccess: false, isSettled: true, reason: report.reason });
    return this.end(subtask, {
      isSuccess: false,
      isSettled: false,
      reason: filled(words.later, report.reason),
    });
  }

  /**
   * Stores the new secret as the next version of the account; what is stored of the other kind
   * stays with it.
   */
  private async store(subtask: Subtask, { kind, text }: Secret, tx: Tx): Promise<void> {
    const { accounts, by, vault } = this.options;
    const { username } = subtask;
    const assetId = String(subtask.assetId);
    const beside = await storedBeside(assetId, username, vault, tx);
    const secrets =
      kind === 'key'
        ? { password: beside.password, privateKey: text }
        : { password: text, privateKey: beside.privateKey };
    await accounts.add({ assetId, username, ...secrets, origin: 'change_auth' }, by(subtask), tx);
  }

  /**
   * Ends a change that was not kept. `isUndone`: the server itself says that it has what it had
   * before.
   */
  private async hasOld(
    subtask: Subtask,
    { kind }: Secret,
    text: LocalText,
    reason: LocalText,
    isUndone = false,
  ): Promise<Outcome> {
    // An old key is taken away only after its successor was proved.
    if (kind === 'key')
      return this.end(subtask, { isSuccess: false, isSettled: true, reason: filled(text, reason) });
    const known = await this.options.accounts.best(String(subtask.assetId), subtask.username);
    const old =
      known &&
      (await this.on(subtask, 'ping', undefined, {
        as: { kind: 'account', username: subtask.username },
      }));
    if (old ? isAccepted(old) : isUndone)
      return this.end(subtask, { isSuccess: false, isSettled: true, reason: filled(text, reason) });
    if (old && !isRefused(old))
      return this.end(subtask, {
        isSuccess: false,
        isSettled: false,
        reason: filled(words.later, reasonOf(old)),
      });
    return this.end(subtask, {
      isSuccess: false,
      isSettled: false,
      needsAttention: true,
      reason: filled(words.unknown, reason),
    });
  }

  private async end(subtask: Subtask, outcome: Outcome): Promise<Outcome> {
    if (this.options.signal.aborted) return { ...outcome, isSettled: false };
    await endSubtask(subtask.id, outcome, this.options.db);
    return outcome;
  }

  private known({ assetId, username }: Subtask): Promise<KnownSecrets> {
    return knownSecrets(String(assetId), username, this.options);
  }

  /**
   * An account with its new secret; a key has the known password beside it, which `sudo` may ask
   * for.
   */
  private offered(
    { username }: Subtask,
    { kind, text }: Secret,
    { password }: KnownSecrets = {},
  ): RemoteIdentity {
    const secret =
      kind === 'password'
        ? { password: text }
        : { privateKey: text, ...(password !== undefined && { password }) };
    return { kind: 'offered', username, secret: async () => secret };
  }

  private signIn(subtask: Subtask, secret: Secret): Promise<AssetReport<undefined>> {
    return this.on(subtask, 'ping', undefined, { as: this.offered(subtask, secret) });
  }

  /** Sets a secret with the module of its kind. */
  private async apply(
    subtask: Subtask,
    { kind, text }: Secret,
    more: More,
  ): Promise<AssetReport<{ readonly isUndone: boolean }>> {
    const { username: name } = subtask;
    const { password: old, publicKey = '' } = await this.known(subtask);
    if (kind === 'password')
      return this.on(subtask, 'change-password', { name, password: text, old }, more);
    const key = publicKeyLine(text, undefined, name) ?? '';
    const isSame = publicKey.split(' ')[1] === key.split(' ')[1];
    return this.on(subtask, 'change-key', { name, key, old: isSame ? '' : publicKey }, more);
  }

  /** Does one kind of work on the server of a subtask. */
  private async on<Kind extends keyof RemoteKinds>(
    { assetId, hostname }: Subtask,
    kind: Kind,
    input: RemoteKinds[Kind]['input'],
    more: More,
  ): Promise<AssetReport<RemoteKinds[Kind]['result']>> {
    const { remote, signal } = this.options;
    let found: AssetReport<RemoteKinds[Kind]['result']> | undefined;
    async function* assets() {
      if (assetId !== null) yield [assetId];
    }
    await remote().run(kind, async () => input, {
      ...more,
      assets: assets(),
      parallel: 1,
      signal,
      async onReport(report) {
        found = report;
      },
    });
    return (
      found ?? {
        assetId: assetId ?? '',
        name: hostname,
        username: '',
        milliseconds: 0,
        state: 'skipped',
        reason: words.gone,
      }
    );
  }
}

interface More {
  readonly as?: RemoteIdentity;
  readonly check?: boolean;
  readonly secondsPerAsset?: number;
  readonly decide?: () => Promise<boolean>;
}
