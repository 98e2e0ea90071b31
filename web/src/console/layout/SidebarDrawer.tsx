import { Drawer } from '@mantine/core';
import { SIDEBAR_WIDTH } from '@sallyport/contract';
import { t } from '../../kit/i18n/index.ts';
import { words } from '../base/words.ts';
import { Sidebar } from './Sidebar.tsx';

/** The sidebar on a narrow window: a drawer over the page. */
export function SidebarDrawer({ onClose }: { readonly onClose: () => void }) {
  return (
    <Drawer.Root opened onClose={onClose} size={SIDEBAR_WIDTH}>
      <Drawer.Overlay />
      <Drawer.Content aria-label={t(words.menu)}>
        <Drawer.Body p={0}>
          <Sidebar onGo={onClose} />
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
