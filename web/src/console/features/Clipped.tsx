import type { CSSProperties, ReactNode } from 'react';

interface ClippedProps {
  /** Shows the text that is cut off. */
  readonly title: string;
  /** The pixels it takes at least. */
  readonly min?: number;
  /** It is one link, which is cut off as well. */
  readonly link?: boolean;
  readonly children?: ReactNode;
}

const MIN = 96;

// The column is as wide as `width` asks or as wide as the table has room for, never as wide as its longest text.
const styleOf = (width: number): CSSProperties => ({
  display: 'block',
  width,
  minWidth: '100%',
  maxWidth: '100%',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
});

/** A text in a table that shares the room there is with its neighbours, and ends in dots where that is too little. */
export function Clipped({ title, min = MIN, link = false, children = title }: ClippedProps) {
  return (
    <span style={styleOf(min)} title={title} {...(link && { 'data-clipped': 'link' })}>
      {children}
    </span>
  );
}
