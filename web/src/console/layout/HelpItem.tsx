import { Menu } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import type { ComponentType } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { BASE_PATH, HELP, openWindow } from '../base/addresses.ts';

interface HelpItemProps {
  readonly page: keyof typeof HELP;
  readonly icon: ComponentType<{ readonly size?: number | string }>;
  readonly label: LocalText;
}

/** A menu entry that opens a help page in a separate window. */
export function HelpItem({ page, icon: Icon, label }: HelpItemProps) {
  return (
    <Menu.Item
      leftSection={<Icon size={16} />}
      onClick={() => openWindow(`${BASE_PATH}${HELP[page]}`)}
    >
      {t(label)}
    </Menu.Item>
  );
}
