import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from '../resource/list/List.module.css';
import { Marked } from '../resource/list/search/Marked.tsx';

interface ClippedProps {
  /** The full text, shown as a tooltip. */
  readonly title: string;
  /** Minimum width of the column in pixels; the longest text never widens it. */
  readonly min?: number;
  /** True if the text is one link, which is cut off like text. */
  readonly link?: boolean;
  readonly children?: ReactNode;
}

const MIN = 96;

/**
 * Text in a table column that shares the width with its neighbors and ends in an ellipsis if cut
 * off.
 */
export function Clipped({ title, min = MIN, link = false, children }: ClippedProps) {
  return (
    <span
      className={styles.clipped}
      style={{ width: min }}
      title={title}
      {...(link && { 'data-clipped': 'link' })}
    >
      {children ?? <Marked text={title} />}
    </span>
  );
}

interface HostCellProps {
  readonly host: { readonly hostname: string; readonly ip: string };
  /** Shows the address below the name, for lists without an address column. */
  readonly withAddress: boolean;
}

export function HostCell({ host: { hostname, ip }, withAddress }: HostCellProps) {
  if (!withAddress) return <Clipped title={hostname} />;
  return (
    <>
      <Clipped title={hostname} min={104} />
      <Text span className="mono" fz="xs" c="dimmed" display="block" lh={1.2}>
        {ip}
      </Text>
    </>
  );
}
