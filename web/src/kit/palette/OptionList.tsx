import { Kbd } from '@mantine/core';
import { Fragment, useEffect, useEffectEvent, useRef, useState } from 'react';
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

/** The selected option of a palette, controlled by the keys of its input. */
function useOptions({ query, keys, onActive, onClose, offer, onSelect }: Props) {
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
  return { options, selected, option, inside, choose: setChosen, run };
}

interface OptionRowProps {
  readonly option: PaletteOption;
  readonly isSelected: boolean;
  readonly onMove: () => void;
  readonly onClick: () => void;
}

function OptionRow({ option, isSelected, onMove, onClick }: OptionRowProps) {
  const { icon, label, note, actions } = option;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
    <div
      id={idOf(option)}
      className={styles.option}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      ref={isSelected ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
      onMouseMove={onMove}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      {icon}
      <span className={styles.texts}>
        <span className={styles.title}>{label}</span>
        {note && <span className={`${styles.note} mono`}>{note}</span>}
      </span>
      {actions && actions.length > 0 && isSelected && <IconChevronRight size={14} />}
    </div>
  );
}

/** The keys that do something with the selected option. */
function KeyHints({
  option,
  isInside,
}: {
  readonly option: PaletteOption | undefined;
  readonly isInside: boolean;
}) {
  const hasActions = (option?.actions?.length ?? 0) > 0;
  const hints = [
    { keys: ['↑', '↓'], does: words.move, isShown: true },
    { keys: ['Enter'], does: words.open, isShown: true },
    { keys: [isMac ? '⌘' : 'Ctrl', 'Enter'], does: words.connect, isShown: option?.connect },
    { keys: ['←'], does: words.back, isShown: isInside },
    { keys: ['→'], does: words.actions, isShown: !isInside && hasActions },
    { keys: ['Esc'], does: words.close, isShown: true },
  ];
  return (
    <div className={styles.footer} aria-hidden="true">
      {hints.map(
        ({ keys, does, isShown }) =>
          isShown && (
            <span key={does.en}>
              {keys.map((key) => (
                <Fragment key={key}>
                  <Kbd size="xs">{key}</Kbd>{' '}
                </Fragment>
              ))}
              {t(does)}
            </span>
          ),
      )}
    </div>
  );
}

/**
 * The options of a palette, controlled by the keys of its input. Enter waits for a pending answer.
 */
export function OptionList(props: Props) {
  const { label, offer } = props;
  const { options, selected, option, inside, choose, run } = useOptions(props);
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
            <OptionRow
              option={one}
              isSelected={index === selected}
              onMove={() => choose(one.key)}
              onClick={() => run(one, false)}
            />
          </div>
        ))}
      </div>
      <KeyHints option={option} isInside={inside !== undefined} />
    </>
  );
}
