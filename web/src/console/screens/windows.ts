import { Permission } from '@sallyport/contract';
import { IconFolders, IconTerminal2 } from '../../kit/icons.ts';
import { filesAddress, terminalAddress } from '../base/addresses.ts';
import type { Screen } from '../base/screen.ts';
import { words } from '../base/words.ts';

/** The windows of terminal and file manager, opened from the administration. */
export const windowScreens: readonly Screen[] = [
  {
    name: 'WebTerminal',
    path: '/terminal/luna',
    title: words.webTerminal,
    menu: { group: 'connections' },
    opens: () => terminalAddress(),
  },
  {
    name: 'FileManager',
    path: '/terminal/sftp',
    title: words.fileManager,
    menu: { group: 'connections' },
    opens: () => filesAddress(),
  },
];

/** The same windows, opened from the user area. */
export const ownWindowScreens: readonly Screen[] = [
  {
    name: 'MyWebTerminal',
    path: '/luna',
    title: words.webTerminal,
    permissions: Permission.USE,
    menu: { icon: IconTerminal2 },
    opens: () => terminalAddress(),
  },
  {
    name: 'MyFileManager',
    path: '/sftp',
    title: words.fileManager,
    permissions: Permission.USE,
    menu: { icon: IconFolders },
    opens: () => filesAddress(),
  },
];
