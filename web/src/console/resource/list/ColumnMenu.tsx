import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { IconCheck, IconColumns } from '../../../kit/icons.ts';
import styles from './List.module.css';
import { words } from './words.ts';

/** What the menu of columns shows and changes. */
export interface ColumnMenuProps {
  readonly columns: readonly { readonly name: string; readonly label: string }[];
  readonly visible: readonly string[];
  readonly onVisible: (names: readonly string[]) => void;
  readonly compact: boolean;
  readonly onCompact: (compact: boolean) => void;
}

/** Which columns a list shows, and how dense. */
export function ColumnMenu({ columns, visible, onVisible, compact, onCompact }: ColumnMenuProps) {
  return (
    <Menu position="bottom-end" withinPortal closeOnItemClick={false}>
      <Menu.Target>
        <Tooltip label={t(words.columns)}>
          <ActionIcon variant="default" size={34} aria-label={t(words.columns)}>
            <IconColumns size={16} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t(words.columns)}</Menu.Label>
        <div className={styles.columns}>
          {columns.map(({ name, label }) => {
            const on = visible.includes(name);
            return (
              <Menu.Item
                key={name}
                role="menuitemcheckbox"
                aria-checked={on}
                // The last one stays: a table without columns helps nobody.
                disabled={on && visible.length === 1}
                leftSection={<IconCheck size={14} opacity={on ? 1 : 0} />}
                onClick={() => onVisible(on ? visible.filter((one) => one !== name) : [...visible, name])}
              >
                {label}
              </Menu.Item>
            );
          })}
        </div>
        <Menu.Divider />
        <Menu.Label>{t(words.density)}</Menu.Label>
        <Menu.Item onClick={() => onCompact(false)} rightSection={compact ? null : <IconCheck size={14} />}>
          {t(words.comfortable)}
        </Menu.Item>
        <Menu.Item onClick={() => onCompact(true)} rightSection={compact ? <IconCheck size={14} /> : null}>
          {t(words.compact)}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
