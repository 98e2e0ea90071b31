import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { IconArrowLeft } from '../../kit/icons.ts';
import { usePath } from '../base/navigation.tsx';
import { screenOf } from '../base/screen.ts';
import { useSession } from '../base/session.tsx';
import styles from './PageHeader.module.css';

interface PageHeaderProps {
  /** Defaults to the title of the screen. */
  readonly title?: string;
  readonly hint?: string;
  readonly onBack?: () => void;
  readonly children?: ReactNode;
}

/** Returns the title of the current screen from the registry. */
export function useScreenTitle(): string {
  const { screens } = useSession();
  const screen = screenOf(screens, usePath());
  return screen ? t(screen.title) : '';
}

/** The heading of a page, with a back button and the actions of the page. */
export function PageHeader({ title, hint, onBack, children }: PageHeaderProps) {
  const screenTitle = useScreenTitle();
  return (
    <>
      <div className={styles.header}>
        {onBack && (
          <ActionIcon variant="default" size={32} onClick={onBack} aria-label={t(common.back)}>
            <IconArrowLeft size={16} />
          </ActionIcon>
        )}
        <h1 className={styles.title} title={title ?? screenTitle}>
          {title ?? screenTitle}
        </h1>
        {children && <div className={styles.actions}>{children}</div>}
      </div>
      {hint && <p className={styles.hint}>{hint}</p>}
    </>
  );
}
