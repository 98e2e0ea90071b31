import { Alert } from '@mantine/core';
import { PREVIOUS_SECRET_DAYS } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import type { QuickAction } from '../../resource/detail/Cards.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { objectUrl, type Source } from '../../resource/source.ts';
import { words } from './words.ts';

/** Lists the objects that a new password or key affects, above the form of an existing account. */
export function SecretUse({ account }: { readonly account: FormValues }) {
  if (!account.id) return null;
  const {
    assets_amount: assets,
    permissions_amount: permissions,
    date_secret_changed: changed,
  } = account;
  return (
    <Alert color="gray" mb="md" maw={860}>
      {permissions === undefined
        ? t(words.usedByAssets, { assets: Number(assets) })
        : t(words.usedByPermissions, {
            assets: Number(assets),
            permissions: Number(permissions),
          })}{' '}
      {changed ? t(words.secretChanged, { date: formatDate(String(changed)) }) : t(words.noSecret)}
    </Alert>
  );
}

interface Changed {
  readonly id: string;
  readonly name: string;
  readonly has_previous_secret: boolean;
  readonly date_secret_changed: string | null;
}

/**
 * Actions that restore the previous password or key of an account. Empty if the server does not
 * keep the previous one.
 */
export function takeBackActions(
  source: Source,
  { id, name, ...account }: Changed,
  after: () => Promise<unknown>,
): readonly QuickAction[] {
  if (!account.has_previous_secret || !account.date_secret_changed) return [];
  return [
    {
      key: 'previous-secret',
      title: t(words.previousSecret),
      hint: t(words.secretChanged, { date: formatDate(account.date_secret_changed) }),
      button: t(words.takeBack),
      run: () =>
        askFirst({
          message: t(words.takeBackQuestion, { name, days: PREVIOUS_SECRET_DAYS }),
          confirm: t(words.takeBack),
          run: async () => {
            await api.post(`${objectUrl(source, id)}previous-secret/`, undefined, { quiet: true });
            await after();
          },
          success: t(words.takenBack),
        }),
    },
  ];
}
