import { type KeyboardEvent, type PointerEvent, useRef } from 'react';

/** Minimum, maximum and default width of a panel in pixels. */
export interface EdgeLimits {
  readonly smallest: number;
  readonly usual: number;
  readonly largest: number;
}

interface ResizeEdgeProps {
  readonly label: string;
  /** The width of the panel; undefined for the default. */
  readonly width: number | undefined;
  readonly limits: EdgeLimits;
  /** Receives the new width; undefined resets it. */
  readonly onWidth: (width: number | undefined) => void;
  /** Pixels outside the edge that still grip it. */
  readonly reach?: number;
}

const STEP = 16;
const INNER_REACH = 4;

/** The right edge of a panel: resizes by pointer or arrow keys; a double click resets the width. */
export function ResizeEdge({
  label,
  width,
  limits,
  onWidth,
  reach = INNER_REACH,
}: ResizeEdgeProps) {
  const { smallest, usual, largest } = limits;
  const grip = useRef(0);
  const panelOf = ({ currentTarget }: { readonly currentTarget: HTMLElement }) =>
    currentTarget.parentElement?.offsetWidth ?? usual;
  const set = (target: number) =>
    onWidth(Math.min(Math.max(Math.round(target), smallest), largest));
  const onPointerDown = (event: PointerEvent<HTMLHRElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = panelOf(event) - event.clientX;
  };
  const onPointerMove = (event: PointerEvent<HTMLHRElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) set(grip.current + event.clientX);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLHRElement>) => {
    const target = {
      ArrowLeft: panelOf(event) - STEP,
      ArrowRight: panelOf(event) + STEP,
      Home: smallest,
      End: largest,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    set(target);
  };
  return (
    <hr
      // Draw the line as a background, because some pages that use it load no style sheet.
      style={{
        position: 'absolute',
        inset: `0 ${-reach}px 0 auto`,
        zIndex: 5,
        width: INNER_REACH + 1 + reach,
        height: 'auto',
        margin: 0,
        border: 0,
        cursor: 'col-resize',
        touchAction: 'none',
        background: `linear-gradient(var(--app-line), var(--app-line)) ${INNER_REACH}px 0 / 1px 100% no-repeat`,
      }}
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width ?? usual}
      aria-valuemin={smallest}
      aria-valuemax={largest}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onDoubleClick={() => onWidth(undefined)}
      onKeyDown={onKeyDown}
    />
  );
}
