import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { isComposing } from '../../../../kit/composing.ts';

type Span = readonly [first: number, last: number];

/** Arrow keys: the bar after the current one. */
const STEPS: Readonly<Record<string, (bar: number, last: number) => number>> = {
  ArrowLeft: (bar) => Math.max(0, bar - 1),
  ArrowRight: (bar, last) => Math.min(last, bar + 1),
  Home: () => 0,
  End: (_bar, last) => last,
};

/** Selects adjoining bars by keys or pointer; `onChoose` receives the first and the last one. */
export function useBrush(amount: number, onChoose: (span: Span) => void) {
  // The bar where a selection began, and the current one.
  const [ends, setEnds] = useState<Span>();
  const [pointed, setPointed] = useState<number>();
  const [dragging, setDragging] = useState(false);
  const last = Math.max(0, amount - 1);
  const within = (bar: number) => Math.min(bar, last);
  const selected: Span | undefined = ends && [within(Math.min(...ends)), within(Math.max(...ends))];
  const choose = (span: Span) => {
    setEnds(undefined);
    onChoose(span);
  };

  function onKeyDown(event: KeyboardEvent) {
    if (isComposing(event)) return;
    const current = ends?.[1];
    const step = STEPS[event.key];
    if (step) {
      const next = current === undefined ? step(last, last) : step(current, last);
      setEnds([event.shiftKey && ends ? ends[0] : next, next]);
    } else if ((event.key === 'Enter' || event.key === ' ') && selected) choose(selected);
    else if (event.key === 'Escape' && ends) setEnds(undefined);
    else return;
    event.preventDefault();
  }

  /** Returns the bar below a pointer. */
  const barAt = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.max(0, within(Math.floor(((clientX - left) / Math.max(1, width)) * amount)));
  };
  return {
    selected,
    /** The bar whose numbers are shown: the one below the pointer, or the selected ones. */
    shown: dragging ? selected : pointed === undefined ? selected : ([pointed, pointed] as const),
    /** The bar that assistive technology announces. */
    active: ends?.[1],
    handlers: {
      onKeyDown,
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragging(true);
        setEnds([barAt(event), barAt(event)]);
      },
      onPointerMove: (event: PointerEvent) => {
        const bar = barAt(event);
        setPointed(bar);
        if (dragging && ends) setEnds([ends[0], bar]);
      },
      onPointerUp: () => {
        setDragging(false);
        if (dragging && selected) choose(selected);
      },
      // The browser scrolls instead.
      onPointerCancel: () => {
        setDragging(false);
        setEnds(undefined);
      },
      onPointerLeave: () => setPointed(undefined),
      onBlur: () => setEnds(undefined),
    },
  };
}
