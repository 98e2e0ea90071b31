import { VisuallyHidden } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { IconChevronRight } from '../../../kit/icons.ts';
import styles from './Summary.module.css';

interface SummaryLineProps {
  readonly name: string;
  /** The summary in one line. */
  readonly line: ReactNode;
  /** The complete summary, which the line opens. */
  readonly children: ReactNode;
}

/** One line above the buttons of a form on narrow screens; opens the complete summary. */
export function SummaryLine({ name, line, children }: SummaryLineProps) {
  const [isOpen, setOpen] = useState(false);
  const content = useId();
  return (
    <div className={styles.narrow}>
      {isOpen && (
        <div id={content} className={styles.opened}>
          {children}
        </div>
      )}
      <button
        type="button"
        className={styles.line}
        aria-expanded={isOpen}
        aria-controls={isOpen ? content : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight size={14} />
        <span>
          <VisuallyHidden>{name}: </VisuallyHidden>
          {line}
        </span>
      </button>
    </div>
  );
}
