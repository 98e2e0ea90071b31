import { ActionIcon, Button, Popover, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconColumns } from '../../../kit/icons.ts';
import styles from './List.module.css';
import { words } from './words.ts';

/** What the choice of columns shows and changes. */
export interface ColumnMenuProps {
  readonly columns: readonly { readonly name: string; readonly label: string }[];
  readonly visible: readonly string[];
  readonly onVisible: (names: readonly string[]) => void;
  /** Gives up what was chosen; absent: nothing was. */
  readonly onForget: (() => void) | undefined;
  readonly compact: boolean;
  readonly onCompact: (compact: boolean) => void;
}

/** Which columns a list shows, and how dense. */
export function ColumnMenu({ columns, visible, onVisible, onForget, compact, onCompact }: ColumnMenuProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" withinPortal shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label={t(words.columns)} disabled={open}>
          <ActionIcon variant="default" size={34} aria-label={t(words.columns)} onClick={() => setOpen(!open)}>
            <IconColumns size={16} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={t(words.columns)}>
        <fieldset className={styles.choices}>
          <legend>{t(words.columns)}</legend>
          {columns.map(({ name, label }) => {
            const on = visible.includes(name);
            return (
              <label key={name}>
                <input
                  type="checkbox"
                  className={styles.box}
                  checked={on}
                  // The last one stays: a table without columns helps nobody.
                  disabled={on && visible.length === 1}
                  onChange={() => onVisible(on ? visible.filter((one) => one !== name) : [...visible, name])}
                />
                {label}
              </label>
            );
          })}
        </fieldset>
        {onForget && (
          <Button mt="sm" size="compact-xs" variant="subtle" onClick={onForget}>
            {t(words.usualColumns)}
          </Button>
        )}
        <fieldset className={styles.choices}>
          <legend>{t(words.density)}</legend>
          {[false, true].map((dense) => (
            <label key={String(dense)}>
              <input type="radio" name="density" className={styles.box} checked={compact === dense} onChange={() => onCompact(dense)} />
              {t(dense ? words.compact : words.comfortable)}
            </label>
          ))}
        </fieldset>
      </Popover.Dropdown>
    </Popover>
  );
}
