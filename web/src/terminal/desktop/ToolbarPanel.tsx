import { Button, Popover } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './Desktop.module.css';

interface Props {
  readonly label: string;
  readonly children: ReactNode;
}

/** A button of a desktop's toolbar that opens a panel below it. */
export function ToolbarPanel({ label, children }: Props) {
  return (
    <Popover position="bottom-start" withinPortal={false} trapFocus>
      <Popover.Target>
        <Button variant="subtle" color="gray" size="compact-sm">
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.panel}>{children}</div>
      </Popover.Dropdown>
    </Popover>
  );
}
