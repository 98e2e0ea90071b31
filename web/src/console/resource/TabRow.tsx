import { Tabs, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { IconChevronLeft, IconChevronRight } from '../../kit/icons.ts';
import styles from './TabRow.module.css';

interface TabRowProps {
  readonly children: ReactNode;
  readonly label?: string;
  /** Draws sections of a tab: without a line below. */
  readonly pills?: boolean;
}

/** The row of tabs, on one line. Arrows scroll to tabs that do not fit. */
export function TabRow({ children, label, pills = false }: TabRowProps) {
  const list = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState({ before: false, after: false });
  useEffect(() => {
    const row = list.current;
    if (!row) return;
    const look = () =>
      setHidden({
        before: row.scrollLeft > 1,
        after: row.scrollLeft + row.clientWidth < row.scrollWidth - 1,
      });
    const observer = new ResizeObserver(look);
    observer.observe(row);
    row.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      row.removeEventListener('scroll', look);
    };
  }, []);
  const scroll = (direction: 1 | -1) =>
    list.current?.scrollBy({ left: direction * list.current.clientWidth * 0.7 });
  // Keyboards and screen readers move along the tabs themselves.
  const arrow = { tabIndex: -1, 'aria-hidden': true, className: styles.arrow ?? '' } as const;
  return (
    <div
      className={styles.row}
      data-before={hidden.before}
      data-after={hidden.after}
      data-pills={pills}
    >
      <Tabs.List ref={list} className={styles.list ?? ''} {...(label && { 'aria-label': label })}>
        {children}
      </Tabs.List>
      {hidden.before && (
        <UnstyledButton {...arrow} data-side="before" onClick={() => scroll(-1)}>
          <IconChevronLeft size={16} />
        </UnstyledButton>
      )}
      {hidden.after && (
        <UnstyledButton {...arrow} data-side="after" onClick={() => scroll(1)}>
          <IconChevronRight size={16} />
        </UnstyledButton>
      )}
    </div>
  );
}
