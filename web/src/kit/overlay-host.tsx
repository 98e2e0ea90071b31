import { useEffect, useState } from 'react';
import { Loading, lazyComponent } from './lazy-component.tsx';

type OverlayModule = typeof import('./overlays.tsx');
type Task = (overlays: OverlayModule) => void;

/*
 * Dialogs and toasts are a tenth of a page's weight, and most visits begin without any. They are loaded with the first one that is
 * wanted; what is asked for until then waits in line.
 */
let ready: OverlayModule | undefined;
let wake: (() => void) | undefined;
const waiting: Task[] = [];

const load = () => import('./overlays.tsx');

/** Does something with dialogs or toasts, as soon as they are there. */
export function withOverlays(task: Task): void {
  if (ready) {
    task(ready);
    return;
  }
  waiting.push(task);
  wake?.();
}

const Overlays = lazyComponent(async () => {
  const loaded = await load();
  const begin = () => {
    ready = loaded;
    for (const task of waiting.splice(0)) task(loaded);
  };
  return () => <loaded.Overlays onReady={begin} />;
});

/** The place where dialogs and toasts appear. */
export function OverlayHost() {
  const [wanted, setWanted] = useState(waiting.length > 0);
  useEffect(() => {
    wake = () => setWanted(true);
    if (waiting.length > 0) setWanted(true);
    return () => {
      wake = undefined;
      // Without a host nothing draws a dialog: the next one starts again.
      ready = undefined;
    };
  }, []);
  return <Loading>{wanted && <Overlays />}</Loading>;
}
