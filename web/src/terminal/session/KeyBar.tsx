import { useRef, useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { hasBreak } from '../tabs/session-snapshot.ts';
import type { SessionTab } from '../tabs/session-tab.ts';
import { useEdges } from '../useEdges.ts';
import { words } from '../words.ts';
import styles from './SessionPane.module.css';

const ARROWS = [
  { letter: 'D', sign: '←', name: 'Left' },
  { letter: 'A', sign: '↑', name: 'Up' },
  { letter: 'B', sign: '↓', name: 'Down' },
  { letter: 'C', sign: '→', name: 'Right' },
] as const;

const TEXTS = ['|', '/', '-', '~', ':'] as const;

/**
 * The keys that a phone's keyboard lacks. Pressing one does not take the keyboard from the
 * terminal.
 */
export function KeyBar({
  session,
  onPaste,
}: {
  readonly session: SessionTab;
  readonly onPaste: () => void;
}) {
  const [armed, setArmed] = useState(false);
  const row = useRef<HTMLDivElement>(null);
  useEdges(row);
  const { view } = session;
  const press = (text: string) => {
    view.typeText(text);
    view.focus();
  };
  const arm = () => {
    setArmed(!armed);
    session.holdControl(!armed, () => setArmed(false));
    view.focus();
  };
  return (
    <div className={styles.keyRow}>
      <div
        ref={row}
        className={styles.keys}
        role="toolbar"
        aria-label={t(words.keys)}
        onPointerDown={(event) => event.preventDefault()}
      >
        <button type="button" onClick={() => press('\x1b')}>
          Esc
        </button>
        <button type="button" onClick={() => press('\t')}>
          Tab
        </button>
        <button type="button" aria-pressed={armed} onClick={arm}>
          Ctrl
        </button>
        {ARROWS.map(({ letter, sign, name }) => (
          <button
            key={letter}
            type="button"
            aria-label={name}
            onClick={() => {
              view.typeArrow(letter);
              view.focus();
            }}
          >
            {sign}
          </button>
        ))}
        {TEXTS.map((text) => (
          <button key={text} type="button" onClick={() => press(text)}>
            {text}
          </button>
        ))}
        {hasBreak(session.snapshot()) ? (
          <button
            type="button"
            onClick={() => {
              session.sendBreak();
              view.focus();
            }}
          >
            Break
          </button>
        ) : null}
        <button type="button" onClick={onPaste}>
          {t(words.paste)}
        </button>
      </div>
    </div>
  );
}
