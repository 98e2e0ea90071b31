import type { ComponentProps } from 'react';

interface MenuAnchorProps extends Omit<ComponentProps<'button'>, 'style' | 'type'> {
  /** Pixels from the left edge of the window. */
  readonly x: number;
  /** Pixels from its top edge. */
  readonly y: number;
  /** What the menu is called. */
  readonly label: string;
}

/** The place in the window where a menu opens that was asked for with the pointer; the target of that menu. */
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
