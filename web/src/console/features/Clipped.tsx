import { Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { Marked } from '../resource/list/search/Marked.tsx';

interface ClippedProps {
  /** The full text, shown as a tooltip. */
  readonly title: string;
  /** Minimum width in pixels. */
  readonly min?: number;
  /** True if the text is one link, which is cut off like text. */
  readonly link?: boolean;
  readonly children?: ReactNode;
}

const MIN = 96;

// The column is `width` pixels wide, or wider if the table has room. The longest text never widens
// it.
const styleOf = (width: number): CSSProperties => ({
  display: 'block',
  width,
  minWidth: '100%',
  maxWidth: '100%',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
});

/**
 * Text in a table column that shares the width with its neighbors and ends in an ellipsis if cut
 * off.
 */
export function Clipped({ title, min = MIN, link = false, children }: ClippedProps) {
  return (
    <span style={styleOf(min)} title={title} {...(link && { 'data-clipped': 'link' })}>
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
