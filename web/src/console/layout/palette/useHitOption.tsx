import type { SearchHit } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { IconHistory, IconKey, IconLock, IconPencil, IconTerminal2 } from '../../../kit/icons.ts';
import type { PaletteOption } from '../../../kit/palette/option.ts';
import { openWindow, terminalAddress } from '../../base/addresses.ts';
import { useGoAddress } from '../../base/navigation.tsx';
import { findSummary, pagesOf } from '../../base/resources.ts';
import { screenOf } from '../../base/screen.ts';
import { useSession } from '../../base/session.tsx';
import { iconOfKind } from './kinds.tsx';
import { noteUse } from './useHits.ts';
import { words } from './words.ts';

/** Lists of permissions and sessions of an object, by kind. */
const LISTS: Readonly<Record<string, { readonly permissions: string; readonly sessions: string }>> =
  {
    asset: { permissions: 'asset_id', sessions: 'asset_id' },
    user: { permissions: 'user_id', sessions: 'user_id' },
    system_user: { permissions: 'system_user_id', sessions: 'system_user_id' },
  };

/** Returns a function that turns a search hit into a line of the palette. */
export function useHitOption(): (hit: SearchHit, group: string) => PaletteOption {
  const { screens } = useSession();
  const goAddress = useGoAddress();

  return (hit, group) => {
    const { kind, id, title, note, page, connects } = hit;
    const used = (act: () => void) => () => {
      noteUse(hit);
      act();
    };
    const open = page === null ? undefined : used(() => void goAddress(`/${page}`));
    const connect =
      connects === null ? undefined : used(() => openWindow(terminalAddress(connects)));
    const connectAs =
      connects === null ? undefined : used(() => openWindow(terminalAddress(connects, 'choose')));
    const goTo = (address: string) =>
      screenOf(screens, address.split('?')[0] ?? '')
        ? used(() => void goAddress(address))
        : undefined;
    const lists = LISTS[kind];
    const update = findSummary(kind) ? pagesOf(kind).update(id) : '';
    const action = (
      key: string,
      label: string,
      icon: PaletteOption['icon'],
      run: (() => void) | undefined,
    ): PaletteOption[] =>
      run ? [{ key: `${kind}-${id}-${key}`, group: title, label, icon, run }] : [];
    return {
      key: `${kind}-${id}`,
      group,
      label: title,
      ...(note && { note }),
      icon: iconOfKind(kind),
      run: open ?? connect ?? (() => undefined),
      connect,
      ...(page !== null && { address: `/${page}` }),
      actions: [
        ...action('connect', t(words.connect), <IconTerminal2 size={16} />, connect),
        ...action('connect-as', t(words.connectAs), <IconKey size={16} />, connectAs),
        ...action('open', t(words.open), iconOfKind(kind), open),
        ...action('edit', t(words.edit), <IconPencil size={16} />, goTo(update)),
        ...action(
          'permissions',
          t(words.permissions),
          <IconLock size={16} />,
          lists && goTo(`/perms/asset-permissions?${lists.permissions}=${id}`),
        ),
        ...action(
          'sessions',
          t(words.sessions),
          <IconHistory size={16} />,
          lists && goTo(`/terminal/session?${lists.sessions}=${id}`),
        ),
      ],
    };
  };
}
