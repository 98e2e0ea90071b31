import type { CSSProperties, ReactNode } from 'react';

interface ClippedProps {
  /** The full text, shown as a tooltip. */
  readonly title: string;
  /** Minimum width in pixels. */
  readonly min?: number;
  /** The content is one link, clipped too. */
  readonly link?: boolean;
  readonly children?: ReactNode;
}

const MIN = 96;

// The column takes `width` or the table's free space, never the width of its longest text.
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
 * A table cell that shares the free width with other columns and ends in an ellipsis if its text is
 * too long.
 */
export function Clipped({ title, min = MIN, link = false, children = title }: ClippedProps) {
  return (
    <span style={styleOf(min)} title={title} {...(link && { 'data-clipped': 'link' })}>
      {children}
    </span>
  );
}
