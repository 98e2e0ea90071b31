import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import styles from './Columns.module.css';
import { MAX_WIDTH, MIN_WIDTH, STEP, widthIn } from './column-order.ts';
import { words } from './words.ts';

interface ResizeHandleProps {
  readonly label: string;
  /** The chosen width in pixels; undefined if the table decides. */
  readonly width: number | undefined;
  readonly onWidth: (width: number | null) => void;
}

const headOf = (element: Element) => element.closest('th')?.offsetWidth ?? MIN_WIDTH;

/**
 * The edge of a column: moves by pointer or arrow keys. Delete and double click reset the width.
 */
export function ResizeHandle({ label, width, onWidth }: ResizeHandleProps) {
  const [drag, setDrag] = useState<{
    readonly from: number;
    readonly start: number;
    readonly by: number;
  }>();

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const step = event.shiftKey ? STEP * 5 : STEP;
    const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
    if (event.key === 'Escape' && drag) setDrag(undefined);
    else if (event.key === 'Delete') onWidth(null);
    else if (by !== undefined) onWidth(widthIn((width ?? headOf(event.currentTarget)) + by));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function onPointerDown(event: PointerEvent<HTMLElement>) {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ from: event.clientX, start: headOf(event.currentTarget), by: 0 });
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is no line between texts
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t(words.widthOf, { name: label })}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      aria-valuenow={width ?? MIN_WIDTH}
      {...(width === undefined && { 'aria-valuetext': t(words.widthAuto) })}
      tabIndex={0}
      className={styles.handle}
      style={drag && { transform: `translateX(${drag.by}px)` }}
      data-dragged={drag !== undefined}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={(event) =>
        drag &&
        setDrag({ ...drag, by: widthIn(drag.start + event.clientX - drag.from) - drag.start })
      }
      onPointerUp={() => {
        if (drag && drag.by !== 0) onWidth(drag.start + drag.by);
        setDrag(undefined);
      }}
      onDoubleClick={() => onWidth(null)}
    />
  );
}
