import { Kbd } from '@mantine/core';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { IconChevronRight } from '../icons.ts';
import styles from './OptionList.module.css';
import type { Offer, PaletteKey, PaletteOption, ResultsProps } from './option.ts';
import { words } from './words.ts';

interface Props extends ResultsProps {
  readonly label: string;
  readonly offer: Offer;
  /** Receives the option that Enter would open. */
  readonly onSelect?: (option: PaletteOption) => void;
}

const isMac = typeof navigator !== 'undefined' && navigator.platform.startsWith('Mac');
const idOf = (option: PaletteOption) => `palette-${option.key}`;

/**
 * The options of a palette, controlled by the keys of its input. Enter waits for a pending answer.
 */
export function OptionList({ query, keys, onActive, onClose, label, offer, onSelect }: Props) {
  // The key of the option that the user moved to; results that arrive later may move it.
  const [chosen, setChosen] = useState<string>();
  const [inside, setInside] = useState<PaletteOption>();
  const waiting = useRef<PaletteKey>(undefined);
  const options = inside?.actions ?? offer.options;
  const place = options.findIndex(({ key }) => key === chosen);
  const selected = Math.max(0, place);
  const option = options[selected];

  // biome-ignore lint/correctness/useExhaustiveDependencies: another text starts at the top again
  useEffect(() => {
    setChosen(undefined);
    setInside(undefined);
    waiting.current = undefined;
  }, [query]);
  const active = option && idOf(option);
  useEffect(() => onActive(active), [active, onActive]);
  const select = useEffectEvent((chosen: PaletteOption) => onSelect?.(chosen));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another line, not another object of the same one
  useEffect(() => {
    if (option) select(option);
  }, [active]);

  const run = (chosen: PaletteOption | undefined, connects: boolean) => {
    const act = connects ? chosen?.connect : chosen?.run;
    if (!act) return;
    onClose();
    act();
  };
  const enter = (actions: PaletteOption | undefined) => {
    setInside(actions);
    setChosen(undefined);
  };

  const answer = useEffectEvent((pressed: PaletteKey): boolean => {
    switch (pressed.key) {
      case 'Enter':
        if (offer.settled || inside || place >= 0) run(option, pressed.connects);
        else waiting.current = pressed;
        return true;
      case 'ArrowDown':
        setChosen(options[Math.min(selected + 1, options.length - 1)]?.key);
        return true;
      case 'ArrowUp':
        setChosen(options[Math.max(selected - 1, 0)]?.key);
        return true;
      case 'ArrowRight':
        if (!pressed.atEnd || inside || !option?.actions?.length) return false;
        enter(option);
        return true;
      case 'ArrowLeft':
      case 'Escape':
        if (!inside) return false;
        enter(undefined);
        return true;
      default:
        return false;
    }
  });
  useEffect(() => keys.listen(answer), [keys]);
  const settle = useEffectEvent(() => {
    const pressed = waiting.current;
    waiting.current = undefined;
    if (pressed) run(option, pressed.connects);
  });
  useEffect(() => {
    if (offer.settled) settle();
  }, [offer.settled]);

  const message = offer.failed ? words.failed : offer.settled ? words.nothing : words.searching;
  return (
    <>
      <div
        className={styles.list}
        id="palette-options"
        role="listbox"
        aria-label={inside?.label ?? label}
        tabIndex={-1}
      >
        {options.length === 0 && (
          <div className={styles.message} role="status">
            {t(message)}
          </div>
        )}
        {options.map((one, index) => (
          <div key={one.key} role="presentation">
            {one.group !== options[index - 1]?.group && (
              <div className={styles.heading} role="presentation">
                {one.group}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus */}
            <div
              id={idOf(one)}
              className={styles.option}
              role="option"
              tabIndex={-1}
              aria-selected={index === selected}
              ref={
                index === selected
                  ? (element) => element?.scrollIntoView({ block: 'nearest' })
                  : undefined
              }
              onMouseMove={() => setChosen(one.key)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => run(one, false)}
            >
              {one.icon}
              <span className={styles.texts}>
                <span className={styles.title}>{one.label}</span>
                {one.note && <span className={`${styles.note} mono`}>{one.note}</span>}
              </span>
              {one.actions && one.actions.length > 0 && index === selected && (
                <IconChevronRight size={14} />
              )}
            </div>
          </div>
        ))}
      </div>
      <div className={styles.footer} aria-hidden="true">
        <span>
          <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> {t(words.move)}
        </span>
        <span>
          <Kbd size="xs">Enter</Kbd> {t(words.open)}
        </span>
        {option?.connect && (
          <span>
            <Kbd size="xs">{isMac ? '⌘' : 'Ctrl'}</Kbd> <Kbd size="xs">Enter</Kbd>{' '}
            {t(words.connect)}
          </span>
        )}
        {inside ? (
          <span>
            <Kbd size="xs">←</Kbd> {t(words.back)}
          </span>
        ) : (
          option?.actions &&
          option.actions.length > 0 && (
            <span>
              <Kbd size="xs">→</Kbd> {t(words.actions)}
            </span>
          )
        )}
        <span>
          <Kbd size="xs">Esc</Kbd> {t(words.close)}
        </span>
      </div>
    </>
  );
}
