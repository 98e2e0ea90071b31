import type { LocalText } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { publicKeyLine } from '../../platform/ssh-keys.ts';
import type { AssetAccounts } from '../assets/index.ts';
import type { AssetReport, RemoteIdentity, RemoteKinds, RemoteWork } from '../connections/index.ts';
import { type KnownSecrets, knownSecrets, otherSecrets } from './secrets.ts';
import {
  filled,
  isAccepted,
  isRefused,
  NOTHING,
  type RunSettings,
  reasonOf,
  runOnServer,
} from './server-work.ts';
import {
  endPending,
  endSubtask,
  keepPending,
  type Outcome,
  openPending,
  type Secret,
  type Subtask,
  setStep,
} from './store.ts';
import { words } from './words.ts';

/** Timeout in seconds for a change including the verifying sign-in. */
const CHANGE_SECONDS = 90;
/** The new secrets of an account: password, private key or both. */
export interface NewSecrets {
  readonly password?: string | undefined;
  readonly privateKey?: string | undefined;
}

interface FailedChange {
  /** Text with the place `reason`. */
  readonly text: LocalText;
  readonly reason: LocalText;
  /** The server itself reports that it rolled back. */
  readonly isUndone?: boolean;
}

export interface ChangeOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly accounts: AssetAccounts;
  readonly remote: RemoteWork;
  /** The requester, for the operate log. */
  readonly by: (subtask: Subtask) => Pick<Caller, 'actor'>;
  readonly signal: AbortSignal;
}

const DONE: Outcome = { isSuccess: true, isSettled: true };

/**
 * Changes the password and the key of one account on one server, one after the other, without
 * locking the account out. The new secret is stored here, sealed, before the server is changed. The
 * server keeps the old secret until a sign-in with the new one has succeeded on a separate
 * connection, and otherwise rolls back. Interrupted changes are settled by signing in.
 */
export class Change {
  private readonly options: ChangeOptions;

  constructor(options: ChangeOptions) {
    this.options = options;
  }

  /**
   * Changes the secrets. If an earlier run was interrupted, settles it first, then changes the
   * rest. Server failures are returned, never thrown.
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
   * Determines which secret is in force after an interruption. `isLast`: no other change follows.
   */
  async settle(subtask: Subtask & { readonly pending: string }, isLast = true): Promise<Outcome> {
    if (subtask.assetId === null)
      return this.end(subtask, { isSuccess: false, isSettled: true, reason: words.gone });
    const secret: Secret = {
      kind: subtask.pendingKind,
      text: openPending(subtask, this.options.vault),
    };
    const proof = await this.signIn(subtask, secret);
    // Applies the change again: the interrupted run may still roll its change back, but not this
    // one.
    if (isAccepted(proof))
      return this.change(
        subtask,
        secret,
        subtask.isAdmin
          ? this.offered(subtask, secret, await this.known(subtask))
          : { kind: 'admin_user' },
        isLast,
      );
    if (!isRefused(proof))
      return this.end(subtask, {
        isSuccess: false,
        isSettled: false,
        reason: filled(words.later, reasonOf(proof)),
      });
    return this.hasOld(subtask, secret, {
      text: secret.kind === 'key' ? words.oldKey : words.old,
      reason: reasonOf(proof),
    });
  }

  /** Tests a change, stores the new secret, and applies the change. */
  private async set(subtask: Subtask, secret: Secret, isLast: boolean): Promise<Outcome> {
    const { db, vault } = this.options;
    await setStep(subtask.id, 'preflight', db);
    const check = await this.apply(subtask, secret, { check: true });
    if (check.state !== 'done')
      return this.end(subtask, { isSuccess: false, isSettled: true, reason: check.reason });
    if (!(await keepPending(subtask, secret, vault, db)))
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
      await db.transaction(async (tx) => {
        await this.store(subtask, secret, tx);
        await (isLast ? endSubtask(subtask.id, DONE, tx) : endPending(subtask.id, tx));
      });
      return DONE;
    }
    // The job resumes later, or the interrupted change is settled.
    if (this.options.signal.aborted) return { isSuccess: false, isSettled: false };
    if (report.state === 'done')
      return this.hasOld(subtask, secret, {
        text: secret.kind === 'key' ? words.refusedKey : words.refused,
        reason: refusal,
        isUndone: true,
      });
    // Nothing was sent to the server, or its script reports that nothing was changed.
    const isUntouched =
      report.state === 'skipped' ||
      !report.reached ||
      report.code === 'remote_no_account' ||
      report.code === 'remote_account' ||
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
   * Stores the new secret as the next version of the account, together with the stored secret of
   * the other kind.
   */
  private async store(subtask: Subtask, { kind, text }: Secret, tx: Tx): Promise<void> {
    const { accounts, by, vault } = this.options;
    const { username } = subtask;
    const assetId = String(subtask.assetId);
    const others = await otherSecrets(assetId, username, vault, tx);
    const secrets =
      kind === 'key'
        ? { password: others.password, privateKey: text }
        : { password: text, privateKey: others.privateKey };
    await accounts.add({ assetId, username, ...secrets, origin: 'change_auth' }, by(subtask), tx);
  }

  /** Ends a change that did not take effect. */
  private async hasOld(
    subtask: Subtask,
    { kind }: Secret,
    { text, reason, isUndone = false }: FailedChange,
  ): Promise<Outcome> {
    // The old key is removed only after a sign-in with the new one, so it is still valid.
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
   * An account with its new secret. A key comes with the known password, which `sudo` may require.
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

  private async apply(
    subtask: Subtask,
    { kind, text }: Secret,
    more: RunSettings,
  ): Promise<AssetReport<{ readonly isUndone: boolean }>> {
    const { username: name } = subtask;
    const { password: old, publicKey = '' } = await this.known(subtask);
    if (kind === 'password')
      return this.on(subtask, 'change-password', { name, password: text, old }, more);
    const key = publicKeyLine(text, undefined, name) ?? '';
    const isSame = publicKey.split(' ')[1] === key.split(' ')[1];
    return this.on(subtask, 'change-key', { name, key, old: isSame ? '' : publicKey }, more);
  }

  private on<Kind extends keyof RemoteKinds>(
    subtask: Subtask,
    kind: Kind,
    input: RemoteKinds[Kind]['input'],
    settings: RunSettings,
  ): Promise<AssetReport<RemoteKinds[Kind]['result']>> {
    return runOnServer(this.options, subtask, { kind, input }, settings);
  }
}
