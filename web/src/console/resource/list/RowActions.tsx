import { Menu, Text } from '@mantine/core';
import type { ComponentType } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconChevronDown, IconDots } from '../../../kit/icons.ts';
import { onApproach } from '../../base/navigation.tsx';
import { byVerdict, type Verdict } from '../verdict.ts';
import styles from './RowActions.module.css';

/** One thing that can be done with a row. */
export interface RowAction {
  readonly key: string;
  readonly label: string;
  readonly run: () => void;
  /** Loads what the action opens. */
  readonly ahead?: () => void;
  readonly icon?: ComponentType<{ readonly size?: number | string }>;
  readonly disabled?: boolean;
  /** Why it cannot be used. */
  readonly refusal?: string | undefined;
  readonly danger?: boolean;
  /** In the row itself the icon says it; its name is read out. */
  readonly iconOnly?: boolean;
}

const MAX_INLINE = 2;

/** Whether an action can be used, or why not. */
export const verdictOf = ({ disabled = false, refusal }: RowAction): Verdict =>
  refusal ?? !disabled;

/** An action in a menu; one that cannot be used says why. */
export function ActionItem({ action }: { readonly action: RowAction }) {
  const { label, icon: Icon, danger, refusal, run } = action;
  return (
    <Menu.Item
      {...(danger && { color: 'red' })}
      leftSection={Icon ? <Icon size={16} /> : null}
      closeMenuOnClick={refusal === undefined}
      {...onApproach(action.ahead)}
      {...byVerdict(verdictOf(action), run)}
    >
      {label}
      {refusal && (
        <Text fz="xs" maw={240} c="dimmed">
          {refusal}
        </Text>
      )}
    </Menu.Item>
  );
}

/** Plain buttons: a list draws hundreds of them at once. */
function Inline({ action, name }: { readonly action: RowAction; readonly name: string }) {
  const { label, icon: Icon, iconOnly = false, danger = false, run } = action;
  const bare = iconOnly && Icon !== undefined;
  return (
    <button
      type="button"
      className={`${styles.action} ${danger ? styles.danger : ''} ${bare ? styles.icon : ''}`}
      aria-label={`${label} ${name}`}
      {...(bare && { title: label })}
      {...onApproach(action.ahead)}
      {...byVerdict(verdictOf(action), run)}
    >
      {bare ? <Icon size={16} /> : label}
    </button>
  );
}

interface RowActionsProps {
  readonly actions: readonly RowAction[];
  readonly name: string;
  /** On a phone: all of them are in the menu, but those that are an icon. */
  readonly phone?: boolean;
}

function inlineOf(actions: readonly RowAction[], phone: boolean): readonly RowAction[] {
  if (phone) return actions.filter(({ iconOnly }) => iconOnly);
  return actions.length <= MAX_INLINE
    ? actions
    : actions.filter((action, index) => index === 0 || action.iconOnly);
}

/** The actions of a row: two at the most in the row itself, otherwise the first, those that are an icon, and a menu (conformance 9.16). */
export function RowActions({ actions, name, phone = false }: RowActionsProps) {
  const inline = inlineOf(actions, phone);
  const rest = actions.filter((action) => !inline.includes(action));
  return (
    <div className={styles.row}>
      {inline.map((action) => (
        <Inline key={action.key} action={action} name={name} />
      ))}
      {rest.length > 0 && (
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <button
              type="button"
              className={`${styles.action} ${styles.more}`}
              aria-label={`${t(common.more)} ${name}`}
            >
              {phone ? (
                <IconDots size={18} />
              ) : (
                <>
                  {t(common.more)}
                  <IconChevronDown size={12} />
                </>
              )}
            </button>
          </Menu.Target>
          <Menu.Dropdown>
            {rest.map((action) => (
              <ActionItem key={action.key} action={action} />
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  );
}
