import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import type { ComponentType } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconChevronDown } from '../../../kit/icons.ts';

/** One thing that can be done with a row. */
export interface RowAction {
  readonly key: string;
  readonly label: string;
  readonly run: () => void;
  readonly icon?: ComponentType<{ readonly size?: number | string }>;
  readonly disabled?: boolean;
  readonly danger?: boolean;
  /** In the row itself the icon says it; its name is read out. */
  readonly iconOnly?: boolean;
}

const MAX_INLINE = 2;

/** The actions of a row: two at the most in the row itself, otherwise the first and a menu (specification §9). */
export function RowActions({ actions, name }: { readonly actions: readonly RowAction[]; readonly name: string }) {
  const inline = actions.length <= MAX_INLINE ? actions : actions.slice(0, 1);
  const rest = actions.slice(inline.length);
  return (
    <Group gap={4} wrap="nowrap" justify="center">
      {inline.map((action) => {
        const { icon: Icon } = action;
        if (action.iconOnly && Icon) {
          return (
            <ActionIcon
              key={action.key}
              size={22}
              variant="subtle"
              color="yellow"
              disabled={action.disabled ?? false}
              onClick={action.run}
              aria-label={`${action.label} ${name}`}
              title={action.label}
            >
              <Icon size={16} />
            </ActionIcon>
          );
        }
        return (
          <Button
            key={action.key}
            size="compact-xs"
            variant="subtle"
            color={action.danger ? 'red' : 'teal'}
            disabled={action.disabled ?? false}
            onClick={action.run}
            aria-label={`${action.label} ${name}`}
          >
            {action.label}
          </Button>
        );
      })}
      {rest.length > 0 && (
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <Button size="compact-xs" variant="subtle" color="gray" rightSection={<IconChevronDown size={12} />} aria-label={`${t(common.more)} ${name}`}>
              {t(common.more)}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {rest.map(({ key, label, run, icon: Icon, disabled, danger }) => (
              <Menu.Item key={key} onClick={run} disabled={disabled ?? false} {...(danger && { color: 'red' })} leftSection={Icon ? <Icon size={16} /> : null}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  );
}
