import type { DragEvent } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { IconChevronRight } from '../icons.ts';
import { shownName, stepsTo } from './entries.ts';
import styles from './Files.module.css';
import { words } from './words.ts';

interface Props {
  readonly path: string;
  readonly onGo: (path: string) => void;
  readonly onDrop: (event: DragEvent, path: string) => void;
}

/** Where the list is, and the way back up; files can be dropped on each folder. */
export function Breadcrumbs({ path, onGo, onDrop }: Props) {
  const steps = [
    { name: t(words.home), path: '/' },
    ...stepsTo(path).map((step) => ({ ...step, name: shownName(step.name) })),
  ];
  return (
    <nav className={styles.crumbs} aria-label={t(words.path)}>
      <ol>
        {steps.map((step, index) => (
          <li key={step.path}>
            {index > 0 ? <IconChevronRight size={13} aria-hidden="true" /> : null}
            <button
              type="button"
              aria-current={index === steps.length - 1 ? 'location' : undefined}
              onClick={() => onGo(step.path)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => onDrop(event, step.path)}
            >
              {step.name}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
