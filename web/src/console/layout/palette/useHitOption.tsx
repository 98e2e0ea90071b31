import { allows, Permission, type SearchHit } from '@sallyport/contract';
import { REQUEST_ACCESS } from '../../../kit/access-request/request-access.ts';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import {
  IconCircleX,
  IconHistory,
  IconKey,
  IconLock,
  IconPencil,
  IconServer2,
  IconTerminal2,
  IconUsers,
} from '../../../kit/icons.ts';
import type { PaletteOption } from '../../../kit/palette/option.ts';
import { openWindow, terminalAddress } from '../../base/addresses.ts';
import { useGoAddress } from '../../base/navigation.tsx';
import { findSummary, pagesOf } from '../../base/resources.ts';
import { screenOf } from '../../base/screen.ts';
import { useSession } from '../../base/session.tsx';
import { askToTerminate, type Session } from '../../features/sessions/index.ts';
import { iconOfKind } from './kinds.tsx';
import { noteUse } from './useHits.ts';
import { words } from './words.ts';

/** Addresses about an object, by kind; `id` and the title of the hit fill them. */
const LISTS: Readonly<
  Record<string, Readonly<Partial<Record<keyof typeof LABELS, (hit: SearchHit) => string>>>>
> = {
  asset: {
    reachedBy: ({ id }) => `${pagesOf('asset').detail(id)}?activeTab=AssetAccess`,
    permissions: ({ id }) => `/perms/asset-permissions?asset_id=${id}`,
    sessions: ({ id }) => `/terminal/session?asset_id=${id}`,
    commands: ({ title }) => `/terminal/command?${new URLSearchParams({ asset: title })}`,
  },
  user: {
    reaches: ({ id }) => `${pagesOf('user').detail(id)}?activeTab=UserAccess`,
    permissions: ({ id }) => `/perms/asset-permissions?user_id=${id}`,
    sessions: ({ id }) => `/terminal/session?user_id=${id}`,
  },
  system_user: {
    permissions: ({ id }) => `/perms/asset-permissions?system_user_id=${id}`,
    sessions: ({ id }) => `/terminal/session?system_user_id=${id}`,
  },
};

const LABELS = {
  reaches: { label: words.reaches, icon: IconServer2 },
  reachedBy: { label: words.reachedBy, icon: IconUsers },
  permissions: { label: words.permissions, icon: IconLock },
  sessions: { label: words.sessions, icon: IconHistory },
  commands: { label: words.commandsOf, icon: IconTerminal2 },
} as const;

/** A date in the format of the server, as notes contain it. */
const SERVER_DATE = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}/g;

/** Asks to end a session that is still live. */
async function endSession(id: string, me: string): Promise<void> {
  const session = await api.get<Session>(`terminal/sessions/${id}/`);
  if (session.is_finished) toast.info(t(words.hasEnded));
  else askToTerminate([session], me, async () => undefined);
}

/** Returns a function that turns a search hit into a line of the palette. */
export function useHitOption(): (hit: SearchHit, group: string) => PaletteOption {
  const { screens, profile, role } = useSession();
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
    const lists = LISTS[kind] ?? {};
    const canRequest = kind === 'asset' && connects === null;
    const canEnd = kind === 'session' && allows(role.current, Permission.ADMIN);
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
      ...(note && { note: note.replace(SERVER_DATE, formatDate) }),
      icon: iconOfKind(kind),
      run: open ?? connect ?? (() => undefined),
      connect,
      ...(page !== null && { address: `/${page}` }),
      actions: [
        ...action('connect', t(words.connect), <IconTerminal2 size={16} />, connect),
        ...action('connect-as', t(words.connectAs), <IconKey size={16} />, connectAs),
        ...action('open', t(words.open), iconOfKind(kind), open),
        ...action('edit', t(words.edit), <IconPencil size={16} />, goTo(update)),
        ...(canRequest
          ? action(
              'request',
              t(words.request),
              <IconLock size={16} />,
              goTo(`${REQUEST_ACCESS}?${new URLSearchParams({ hostname: title })}`),
            )
          : []),
        ...(Object.keys(LABELS) as (keyof typeof LABELS)[]).flatMap((name) => {
          const { label, icon: Icon } = LABELS[name];
          const address = lists[name]?.(hit);
          return action(name, t(label), <Icon size={16} />, address ? goTo(address) : undefined);
        }),
        ...action(
          'end',
          t(words.endSession),
          <IconCircleX size={16} />,
          canEnd ? () => void endSession(id, profile.id) : undefined,
        ),
      ],
    };
  };
}
