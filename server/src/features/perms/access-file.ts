import type { Readable } from 'node:stream';
import {
  type AccessPath,
  asset,
  type ExplainedAccess,
  type LocalText,
  say,
  user,
} from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import { tableFile } from '../../http/resources/csv.ts';

/** Leading columns of a file: the user or the asset. */
export type AccessHeaders = readonly { readonly name: string; readonly label: LocalText }[];

export const USER_HEADERS: AccessHeaders = [
  { name: 'name', label: user.fields.name.label },
  { name: 'username', label: user.fields.username.label },
];
export const ASSET_HEADERS: AccessHeaders = [
  { name: 'hostname', label: asset.fields.hostname.label },
  { name: 'ip', label: asset.fields.ip.label },
];

const ACCESS_COLUMNS: AccessHeaders = [
  { name: 'accounts', label: { en: 'System users', zh: '系统用户' } },
  { name: 'reasons', label: { en: 'Why', zh: '依据' } },
  { name: 'valid_until', label: { en: 'Until', zh: '有效期至' } },
];
const GROUP = { en: 'group', zh: '用户组' };
const NODE = { en: 'node', zh: '节点' };

const BATCH = 500;

/** Streams a list of accesses as a file, one batch of rows at a time, with localized reasons. */
export function accessFile(
  headers: AccessHeaders,
  read: (
    offset: number,
    limit: number,
  ) => Promise<{ readonly count: number; readonly results: readonly ExplainedAccess[] }>,
  context: Context,
): Promise<Readable> {
  const { language } = context;
  const reason = ({ permission, group, node }: AccessPath) =>
    [
      permission.name,
      ...(group ? [`${say(GROUP, language)} ${group.name}`] : []),
      ...(node ? [`${say(NODE, language)} ${node.name}`] : []),
    ].join(' · ');
  async function* batches(): AsyncGenerator<object[]> {
    for (let offset = 0, total = 1; offset < total; offset += BATCH) {
      const { count, results } = await read(offset, BATCH);
      total = count;
      yield results.map((row) => ({
        ...row,
        accounts: row.accounts.map(({ name }) => name).join('; '),
        reasons: row.paths.map(reason).join('; '),
      }));
    }
  }
  return tableFile(
    {
      name: 'access',
      columns: [...headers, ...ACCESS_COLUMNS].map(({ name, label }) => ({
        name,
        header: say(label, language),
      })),
    },
    batches(),
    context,
  );
}
