import type { ComponentProps } from 'react';

interface MenuAnchorProps extends Omit<ComponentProps<'button'>, 'style' | 'type'> {
  /** Pixels from the left edge of the window. */
  readonly x: number;
  /** Pixels from the top edge of the window. */
  readonly y: number;
  /** The accessible name of the menu. */
  readonly label: string;
}

/** Target of a context menu at the position of the pointer. */
export function MenuAnchor({ x, y, label, ...rest }: MenuAnchorProps) {
  return (
    <button
      {...rest}
      type="button"
      tabIndex={-1}
      aria-label={label}
      style={{
        position: 'fixed',
        left: x,
        top: y,
        width: 1,
        height: 1,
        padding: 0,
        border: 0,
        background: 'none',
      }}
    />
  );
}
