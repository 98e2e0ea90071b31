import { ActionIcon, Checkbox, Menu, Stack, Tooltip } from '@mantine/core';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconCheck, IconColumns, IconRefresh } from '../../../kit/icons.ts';
import { words } from './words.ts';

interface ListMenusProps {
  readonly columns: readonly { readonly name: string; readonly label: string }[];
  readonly visible: readonly string[];
  readonly onVisible: (names: readonly string[]) => void;
  readonly compact: boolean;
  readonly onCompact: (compact: boolean) => void;
  readonly onRefresh: () => void;
  readonly refreshing: boolean;
}

/** The small buttons at the right of a list: which columns, how dense, read again. */
export function ListMenus({ columns, visible, onVisible, compact, onCompact, onRefresh, refreshing }: ListMenusProps) {
  return (
    <>
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
          <Stack gap={8} px="sm" py={4} mah={320} style={{ overflowY: 'auto' }}>
            {columns.map(({ name, label }) => (
              <Checkbox
                key={name}
                size="xs"
                label={label}
                checked={visible.includes(name)}
                // The last one stays: a table without columns helps nobody.
                disabled={visible.length === 1 && visible.includes(name)}
                onChange={(event) => onVisible(event.currentTarget.checked ? [...visible, name] : visible.filter((one) => one !== name))}
              />
            ))}
          </Stack>
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
      <Tooltip label={t(common.refresh)}>
        <ActionIcon variant="default" size={34} aria-label={t(common.refresh)} onClick={onRefresh} loading={refreshing}>
          <IconRefresh size={16} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
