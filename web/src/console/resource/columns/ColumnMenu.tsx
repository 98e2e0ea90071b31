import { ActionIcon, Button } from '@mantine/core';
import { isEnter } from '../../../kit/composing.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconChevronLeft, IconChevronRight } from '../../../kit/icons.ts';
import listStyles from '../list/List.module.css';
import styles from './Columns.module.css';
import { MAX_WIDTH, MIN_WIDTH, moved, STEP, toggled, widthIn } from './column-order.ts';
import { words } from './words.ts';

export interface ColumnMenuProps {
  readonly columns: readonly { readonly name: string; readonly label: string }[];
  /** Names of the visible columns, in order. */
  readonly visible: readonly string[];
  readonly onVisible: (names: readonly string[]) => void;
  readonly widths: Readonly<Record<string, number>>;
  readonly onWidth: (name: string, width: number | null) => void;
  /** Resets the columns; undefined if the user has not changed them. */
  readonly onForget: (() => void) | undefined;
  readonly compact: boolean;
  readonly onCompact: (compact: boolean) => void;
}

/** Menu for the visible columns of a list, their order and width, and the row density. */
export function ColumnMenu({
  columns,
  visible,
  onVisible,
  widths,
  onWidth,
  onForget,
  compact,
  onCompact,
}: ColumnMenuProps) {
  const names = columns.map(({ name }) => name);
  const inOrder = [...visible, ...names.filter((name) => !visible.includes(name))];
  return (
    <>
      <fieldset className={styles.choices}>
        <legend>{t(words.columns)}</legend>
        {inOrder.map((name) => {
          const label = columns.find((column) => column.name === name)?.label ?? name;
          const at = visible.indexOf(name);
          const on = at >= 0;
          return (
            <div key={name} className={styles.column}>
              <label>
                <input
                  type="checkbox"
                  className={listStyles.box}
                  checked={on}
                  // The last column cannot be hidden.
                  disabled={on && visible.length === 1}
                  onChange={() => onVisible(toggled(visible, name, names))}
                />
                {label}
              </label>
              {on && (
                <>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={24}
                    disabled={at === 0}
                    aria-label={t(words.moveLeft, { name: label })}
                    onClick={() => onVisible(moved(visible, name, -1))}
                  >
                    <IconChevronLeft size={14} />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={24}
                    disabled={at === visible.length - 1}
                    aria-label={t(words.moveRight, { name: label })}
                    onClick={() => onVisible(moved(visible, name, 1))}
                  >
                    <IconChevronRight size={14} />
                  </ActionIcon>
                  <input
                    key={widths[name]}
                    type="number"
                    className={styles.width}
                    min={MIN_WIDTH}
                    max={MAX_WIDTH}
                    step={STEP}
                    placeholder={t(words.widthAuto)}
                    aria-label={t(words.widthOf, { name: label })}
                    defaultValue={widths[name]}
                    onBlur={({ currentTarget: { value } }) => {
                      const width = value === '' ? null : widthIn(Number(value));
                      if (width !== (widths[name] ?? null)) onWidth(name, width);
                    }}
                    onKeyDown={(event) => isEnter(event) && event.currentTarget.blur()}
                  />
                </>
              )}
            </div>
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
            <input
              type="radio"
              name="density"
              className={listStyles.box}
              checked={compact === dense}
              onChange={() => onCompact(dense)}
            />
            {t(dense ? words.compact : words.comfortable)}
          </label>
        ))}
      </fieldset>
    </>
  );
}
