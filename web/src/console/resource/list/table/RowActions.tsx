import { Menu, Text } from '@mantine/core';
import type { ComponentType } from 'react';
import { common, t } from '../../../../kit/i18n/index.ts';
import { IconChevronDown, IconDots } from '../../../../kit/icons.ts';
import { windowLink } from '../../../base/addresses.ts';
import { onApproach } from '../../../base/navigation.tsx';
import { byVerdict, type Verdict } from '../../verdict.ts';
import styles from './RowActions.module.css';

/** An action on a row. */
export interface RowAction {
  readonly key: string;
  readonly label: string;
  readonly run: () => void;
  /** The address of another window, if the action only opens it: drawn as a link. */
  readonly opens?: string;
  /** Preloads the target of the action. */
  readonly ahead?: () => void;
  readonly icon?: ComponentType<{ readonly size?: number | string }>;
  readonly disabled?: boolean;
  /** Reason for refusing the action. */
  readonly refusal?: string | undefined;
  readonly danger?: boolean;
  /** Key that runs the action while its row has the focus. */
  readonly shortcut?: string;
  /** Shows only the icon in the row; screen readers get the label. */
  readonly iconOnly?: boolean;
  /** Drawn as a button, on a phone as well: the act that the list is for. */
  readonly isMain?: boolean;
}

const MAX_INLINE = 2;

/** Returns the verdict of an action: enabled, disabled, or the reason for refusing it. */
export const verdictOf = ({ disabled = false, refusal }: RowAction): Verdict =>
  refusal ?? !disabled;

/** Returns the props that run an action: those of a link, of a button, or of a refused button. */
function asControl(action: RowAction) {
  const verdict = verdictOf(action);
  return verdict === true && action.opens !== undefined
    ? windowLink(action.opens)
    : byVerdict(verdict, action.run);
}

/** A menu item for an action; a refused action shows its reason. */
export function ActionItem({ action }: { readonly action: RowAction }) {
  const { label, icon: Icon, danger, refusal } = action;
  return (
    <Menu.Item
      {...(danger && { color: 'red' })}
      leftSection={Icon ? <Icon size={16} /> : null}
      closeMenuOnClick={refusal === undefined}
      {...onApproach(action.ahead)}
      {...asControl(action)}
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

/** Plain elements, because a list draws hundreds of them. */
function Inline({ action, name }: { readonly action: RowAction; readonly name: string }) {
  const { label, icon: Icon, iconOnly = false, danger = false, isMain = false } = action;
  const bare = iconOnly && Icon !== undefined;
  const { component: Control = 'button', ...control } = {
    component: undefined,
    ...asControl(action),
  };
  return (
    <Control
      {...(Control === 'button' && { type: 'button' })}
      className={`${styles.action} ${danger ? styles.danger : ''} ${bare ? styles.icon : ''} ${isMain ? styles.main : ''}`}
      aria-label={`${label} ${name}`}
      {...(bare && { title: label })}
      {...(action.shortcut && { 'aria-keyshortcuts': action.shortcut })}
      {...onApproach(action.ahead)}
      {...control}
    >
      {bare ? <Icon size={16} /> : label}
    </Control>
  );
}

interface RowActionsProps {
  readonly actions: readonly RowAction[];
  readonly name: string;
  /** True on a phone: all actions except icons and the main one move into the menu. */
  readonly phone?: boolean;
}

function inlineOf(actions: readonly RowAction[], phone: boolean): readonly RowAction[] {
  if (phone) return actions.filter(({ iconOnly, isMain }) => iconOnly || isMain);
  return actions.length <= MAX_INLINE
    ? actions
    : actions.filter((action, index) => index === 0 || action.iconOnly);
}

/**
 * Shows up to two actions in the row; otherwise the first, the icons, and a menu (conformance
 * 9.16).
 */
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
