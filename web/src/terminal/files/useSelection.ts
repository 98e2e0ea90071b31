import { useState } from 'react';

/** The selected rows, and the row with the keyboard focus. */
export interface Selection {
  readonly names: ReadonlySet<string>;
  readonly active: string | null;
  /** Where a range begins. */
  readonly anchor: string | null;
}

const NOTHING: Selection = { names: new Set(), active: null, anchor: null };

/** The selection of a list, by name. Names that left the list are no longer selected. */
export function useSelection(order: readonly string[]) {
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const rangeTo = (name: string, from: string | null): Set<string> => {
    const [start, end] = [Math.max(0, order.indexOf(from ?? name)), order.indexOf(name)];
    return new Set(order.slice(Math.min(start, end), Math.max(start, end) + 1));
  };
  return {
    selection,
    clear: () => setSelection(NOTHING),
    all: () => setSelection({ ...selection, names: new Set(order) }),
    only: (name: string) => setSelection({ names: new Set([name]), active: name, anchor: name }),
    some: (names: readonly string[]) =>
      setSelection({ names: new Set(names), active: names[0] ?? null, anchor: names[0] ?? null }),
    toggle: (name: string) => {
      const names = new Set(selection.names);
      if (!names.delete(name)) names.add(name);
      setSelection({ names, active: name, anchor: name });
    },
    extend: (name: string) =>
      setSelection({
        names: rangeTo(name, selection.anchor),
        active: name,
        anchor: selection.anchor ?? name,
      }),
    /** Moves the focus without selecting. */
    move: (name: string) => setSelection({ ...selection, active: name }),
  };
}

export type SelectionTools = ReturnType<typeof useSelection>;
