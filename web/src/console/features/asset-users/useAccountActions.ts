import { assetUser } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { addressOf, api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconKey } from '../../../kit/icons.ts';
import { useGo } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import type { RowAction } from '../../resource/list/table/RowActions.tsx';
import { cacheKey, objectUrl } from '../../resource/source.ts';
import type { ListExtent } from '../../resource/transfer/export-address.ts';
import type { AssetUser } from './SecretDialog.tsx';
import { words } from './words.ts';

const JOBS = pagesOf('job');

/** The open dialog of the list of accounts. */
export type AccountDialog =
  | { readonly kind: 'view' | 'update' | 'set'; readonly account: AssetUser }
  | { readonly kind: 'export'; readonly extent: ListExtent };

/** Returns a function that starts a test of accounts and opens the page of its job. */
export function useTest() {
  const go = useGo();
  return async (query: Readonly<Record<string, string | readonly string[]>>) => {
    const { task } = await api.post<{ readonly task: string }>(
      addressOf('assets/asset-users/tasks/', query),
      { action: 'test' },
    );
    await go(JOBS.detail(task));
  };
}

/** Returns the actions on one account. */
export function useAccountActions(
  open: (dialog: AccountDialog) => void,
): (account: AssetUser) => RowAction[] {
  const test = useTest();
  const client = useQueryClient();
  const licensed = useSession().settings.XPACK_LICENSE_IS_VALID;
  const readAgain = () => client.invalidateQueries({ queryKey: cacheKey(assetUser) });

  const askToDelete = ({ id, version, username, hostname }: AssetUser) =>
    askFirst({
      message: t(words.deleteQuestion, { version, name: `${username}@${hostname}` }),
      confirm: t(common.delete),
      run: async () => {
        await api.delete(objectUrl(assetUser, id), { quiet: true });
        await readAgain();
      },
      success: t(words.deleted),
    });
  const askToRestore = ({ id, version }: AssetUser) =>
    askFirst({
      message: t(words.restoreQuestion, { version }),
      confirm: t(words.restore),
      run: async () => {
        await api.post(`${objectUrl(assetUser, id)}restore/`, undefined, { quiet: true });
        await readAgain();
      },
      success: t(words.restored),
    });

  return (account) => {
    const isStored = account.backend === 'db';
    const setOnServer: RowAction = {
      key: 'set-on-server',
      label: t(words.setOnServer),
      ...(!isStored && { refusal: t(words.notStored) }),
      run: () => open({ kind: 'set', account }),
    };
    return [
      {
        key: 'view',
        label: t(words.view),
        icon: IconKey,
        ...(!account.has_secret && { refusal: t(words.noSecret) }),
        run: () => open({ kind: 'view', account }),
      },
      {
        key: 'update-secret',
        label: t(words.update),
        run: () => open({ kind: 'update', account }),
      },
      {
        key: 'test',
        label: t(words.test),
        ...(!account.has_secret && { refusal: t(words.noSecret) }),
        run: () => void test({ id: account.id }),
      },
      {
        key: 'delete',
        label: t(common.delete),
        danger: true,
        ...(!isStored && {
          refusal: t(account.backend === 'admin_user' ? words.deleteAdmin : words.deleteSystem),
        }),
        run: () => askToDelete(account),
      },
      {
        key: 'restore',
        label: t(words.restore),
        ...(isStored
          ? account.is_best && { refusal: t(words.isLatest) }
          : { refusal: t(words.notStored) }),
        run: () => askToRestore(account),
      },
      // Needs a license.
      ...(licensed ? [setOnServer] : []),
    ];
  };
}
