import { type KeyboardEvent, type PointerEvent, useRef } from 'react';

/** How narrow and how wide a panel can be, and what it is unless somebody says otherwise. */
export interface EdgeLimits {
  readonly smallest: number;
  readonly usual: number;
  readonly largest: number;
}

interface ResizeEdgeProps {
  readonly label: string;
  /** The width of the panel; undefined while it is the usual one. */
  readonly width: number | undefined;
  readonly limits: EdgeLimits;
  /** Takes a new width; undefined restores the usual one. */
  readonly onWidth: (width: number | undefined) => void;
  /** How far it can be gripped on the outer side of its line, in pixels. */
  readonly reach?: number;
}

const STEP = 16;
const INNER_REACH = 4;

/** The right edge of a panel: drag it, or use the arrow keys; a double click restores the usual width. */
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
  const set = (wanted: number) =>
    onWidth(Math.min(Math.max(Math.round(wanted), smallest), largest));
  const onPointerDown = (event: PointerEvent<HTMLHRElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = panelOf(event) - event.clientX;
  };
  const onPointerMove = (event: PointerEvent<HTMLHRElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) set(grip.current + event.clientX);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLHRElement>) => {
    const wanted = {
      ArrowLeft: panelOf(event) - STEP,
      ArrowRight: panelOf(event) + STEP,
      Home: smallest,
      End: largest,
    }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    set(wanted);
  };
  return (
    <hr
      // Its line is drawn as a background, so that it needs no style sheet on pages that hardly have one.
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
