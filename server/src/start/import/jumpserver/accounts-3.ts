import { derivedId } from '../derived-id.ts';
import type { Row } from './database.ts';
import type { SourceAsset } from './model.ts';
import { openColumn, type Reading } from './people.ts';
import { idOf, isTrue, textOf } from './values.ts';

/** Aliases of accounts that permissions name instead of usernames. */
export const ALL = '@ALL';
export const SAME_NAME = '@USER';
export const TYPED = '@INPUT';

/** The secrets of a username on an asset. */
interface Account {
  readonly id: string;
  password?: string;
  privateKey?: string;
}

/** A system user uses the secret of each asset, or one that the user types. */
type Mode = 'auto' | 'manual';

/** A system user that stands for the accounts with a username. */
export interface Login {
  readonly username: string;
  readonly protocol: string;
  readonly mode: Mode;
}

/**
 * The accounts of versions 3.x and 4.x. They belong to assets; Sallyport grants system users. Each
 * username gets one for each protocol and mode, and the secrets are stored for the assets.
 */
export class Accounts {
  readonly #byAsset = new Map<string, Map<string, Account>>();
  readonly #logins = new Map<string, Login>();
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Reads one account; the secret types of one username are separate rows. */
  add(row: Row): void {
    const id = idOf(row.id);
    if (!isTrue(row.is_active ?? true)) return;
    const username = textOf(row.username);
    // Rows with an alias configure it and are no accounts.
    if (username.startsWith('@')) return;
    const place = `accounts_account ${id}`;
    const accounts = this.#byAsset.get(idOf(row.asset_id)) ?? new Map<string, Account>();
    this.#byAsset.set(idOf(row.asset_id), accounts);
    const account: Account = accounts.get(username) ?? { id };
    accounts.set(username, account);
    const secret = openColumn(this.#reading, place, row, ['_secret', 'secret']);
    if (secret === undefined) return;
    if (row.secret_type === 'ssh_key') account.privateKey = secret;
    else if (row.secret_type === 'password') account.password = secret;
    else this.#reading.into.note(place, `secrets of type ${row.secret_type} are not imported`);
  }

  /** Usernames of the accounts on an asset. */
  usernamesOn(assetId: string): readonly string[] {
    return [...(this.#byAsset.get(assetId)?.keys() ?? [])];
  }

  /** The first account of an asset with its secrets. */
  firstOn(assetId: string): (Account & { readonly username: string }) | undefined {
    const [first] = this.#byAsset.get(assetId) ?? [];
    return first && { username: first[0], ...first[1] };
  }

  /** Returns the mode for the account of a username; undefined without the account. */
  modeOn(assetId: string, { username, protocol }: Omit<Login, 'mode'>): Mode | undefined {
    if (username === SAME_NAME || username === TYPED) return 'manual';
    const account = this.#byAsset.get(assetId)?.get(username);
    if (!account) return undefined;
    const hasSecret = account.password !== undefined || (protocol === 'ssh' && account.privateKey);
    return hasSecret && username !== '' ? 'auto' : 'manual';
  }

  /** Returns the id of the system user for a login; adds it at its first use. */
  systemUser(organization: string, login: Login): string {
    const { username, protocol, mode } = login;
    const key = `${organization} ${protocol} ${mode} ${username}`;
    const id = derivedId(`system user ${key}`);
    if (this.#logins.has(key)) return id;
    this.#logins.set(key, login);
    const isAlias = username === SAME_NAME || username === TYPED;
    const title = { [SAME_NAME]: 'same name', [TYPED]: 'any account', '': 'no username' }[username];
    const name = `${title ?? username} (${protocol}${mode === 'manual' && !isAlias ? ', manual' : ''})`;
    this.#reading.into.add({
      kind: 'system_user',
      id,
      organization,
      name,
      place: `accounts_account ${username || '(no username)'}`,
      fields: {
        name,
        username: isAlias ? '' : username,
        protocol,
        username_same_with_user: username === SAME_NAME,
      },
      initial: {
        login_mode: mode,
        auto_push: false,
        // Never used: each asset that it is granted on has a stored secret.
        ...(mode === 'auto' && { password: crypto.randomUUID() }),
      },
    });
    return id;
  }

  /** System users of an organization with a username. */
  loginsOf(organization: string, isMeant: (username: string) => boolean): Login[] {
    return [...this.#logins].flatMap(([key, login]) =>
      key.startsWith(`${organization} `) && isMeant(login.username) ? login : [],
    );
  }

  /** Adds the stored secrets, and the system users of all accounts on imported assets. */
  addSecrets(
    assets: ReadonlyMap<string, SourceAsset>,
    kept: ReadonlyMap<string, readonly string[]>,
  ) {
    for (const [assetId, protocols] of kept) {
      const asset = assets.get(assetId);
      if (!asset) continue;
      for (const [username, account] of this.#byAsset.get(assetId) ?? []) {
        for (const protocol of protocols) {
          const mode = this.modeOn(assetId, { username, protocol });
          if (mode) this.systemUser(asset.organization, { username, protocol, mode });
        }
        if (username !== '') this.#addSecret(assetId, asset, username, account);
      }
    }
  }

  #addSecret(assetId: string, asset: SourceAsset, username: string, account: Account): void {
    const { id, password, privateKey } = account;
    if (password === undefined && privateKey === undefined) return;
    this.#reading.into.add({
      kind: 'asset_user',
      id,
      organization: asset.organization,
      name: `${username}@${asset.name}`,
      place: `accounts_account ${id}`,
      fields: { asset: assetId, username },
      initial: {
        ...(password !== undefined && { password }),
        ...(privateKey !== undefined && { private_key: privateKey }),
      },
    });
  }
}
