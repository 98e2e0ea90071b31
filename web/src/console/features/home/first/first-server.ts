import { adminUser, asset, assetPermission, systemUser } from '@sallyport/contract';
import { ApiError, api, type FieldMessages } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { listUrl } from '../../../resource/source.ts';
import { words } from './words.ts';

/** The first server with its account, as one form asks for them. */
export interface FirstServer {
  readonly ip: string;
  readonly port: string;
  /** Name of the server; blank: its address. */
  readonly hostname: string;
  readonly username: string;
  readonly password: string;
  readonly private_key: string;
  readonly keepsAdmin: boolean;
}

export type FirstServerField = Exclude<keyof FirstServer, 'keepsAdmin'>;

export interface Grantee {
  readonly id: string;
  readonly username: string;
}

const bodiesOf = (form: FirstServer) => {
  const hostname = form.hostname.trim() || form.ip.trim();
  const account = {
    name: `${form.username}@${hostname}`,
    username: form.username,
    ...(form.password !== '' && { password: form.password }),
    ...(form.private_key !== '' && { private_key: form.private_key }),
  };
  return {
    account,
    // Nothing is pushed: the account exists on the server.
    systemUser: { ...account, protocol: 'ssh', login_mode: 'auto', auto_push: false },
    asset: { hostname, ip: form.ip.trim(), platform: 'Linux', protocols: [`ssh/${form.port}`] },
  };
};

/** Fields of the objects that the form names differently, or does not show. */
const FORM_FIELDS: Readonly<Record<string, FirstServerField>> = {
  name: 'username',
  protocols: 'port',
  'protocols.0': 'port',
};

const asFormFields = (fields: FieldMessages): FieldMessages =>
  Object.fromEntries(
    Object.entries(fields).map(([name, texts]) => [FORM_FIELDS[name] ?? name, texts]),
  );

/** Returns what the server would answer to an object, by fields of the form; stores nothing. */
async function problemsOf(source: { readonly path: string }, body: object): Promise<FieldMessages> {
  try {
    await api.post(listUrl(source), [body], { query: { dry_run: 1 }, quiet: true });
    return {};
  } catch (error) {
    if (!(error instanceof ApiError) || !error.items) throw error;
    return asFormFields(error.items[0] ?? {});
  }
}

async function create(source: { readonly path: string }, body: object): Promise<string> {
  const { id } = await api.post<{ readonly id: string }>(listUrl(source), body, { quiet: true });
  return id;
}

/**
 * Checks server and account, then stores both with a permission for the grantee.
 * @returns the ids of the asset and its system user
 * @throws ApiError with the fields of the form; nothing is stored if a check failed
 */
export async function createFirstServer(
  form: FirstServer,
  { id, username }: Grantee,
): Promise<{ readonly asset: string; readonly account: string }> {
  const bodies = bodiesOf(form);
  const problems = await Promise.all([
    problemsOf(asset, bodies.asset),
    problemsOf(systemUser, bodies.systemUser),
    ...(form.keepsAdmin ? [problemsOf(adminUser, bodies.account)] : []),
  ]);
  const fields: FieldMessages = Object.assign({}, ...problems);
  if (Object.keys(fields).length > 0) throw new ApiError(400, 'invalid', '', { fields });

  const admin = form.keepsAdmin ? await create(adminUser, bodies.account) : undefined;
  const server = await create(asset, { ...bodies.asset, ...(admin && { admin_user: admin }) });
  const account = await create(systemUser, bodies.systemUser);
  await create(assetPermission, {
    name: t(words.permission, { user: username, server: bodies.asset.hostname }),
    users: [id],
    assets: [server],
    system_users: [account],
  });
  return { asset: server, account };
}
