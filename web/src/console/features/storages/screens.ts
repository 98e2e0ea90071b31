import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const storages = () => import('./Storages.tsx');
const commandStorages = () => import('./CommandStorages.tsx');
const terminals = () => import('./Terminals.tsx');
/** Super auditors read these pages; only super administrators open the forms. */
const SUPER_PAGES = {
  menu: { group: 'system' },
  permissions: Permission.SUPER,
  changes: Permission.SUPER | Permission.ADMIN,
} as const;

/** The servers of the installation and their storages. */
export const storageScreens: readonly Screen[] = [
  // No create page: servers register automatically.
  ...resourceScreens(
    'terminal',
    {
      title: { zh: '终端管理', en: 'Terminals' },
      otherNames: [{ zh: '堡垒机服务器', en: 'Bastion servers' }],
      list: page(terminals, 'TerminalList'),
      form: page(terminals, 'TerminalForm'),
      detail: page(terminals, 'TerminalDetail'),
    },
    SUPER_PAGES,
  ).filter(({ name }) => name !== 'TerminalCreate'),
  ...resourceScreens(
    'replay_storage',
    {
      title: { zh: '录像存储', en: 'Replay storages' },
      otherNames: [{ zh: '存储', en: 'Storages' }],
      list: page(storages, 'StorageList'),
      form: page(storages, 'StorageForm'),
      detail: page(storages, 'StorageDetail'),
    },
    SUPER_PAGES,
  ),
  ...resourceScreens(
    'command_storage',
    {
      title: { zh: '命令存储', en: 'Command storages' },
      list: page(commandStorages, 'CommandStorageList'),
      form: page(commandStorages, 'CommandStorageForm'),
      detail: page(commandStorages, 'CommandStorageDetail'),
    },
    SUPER_PAGES,
  ),
];
