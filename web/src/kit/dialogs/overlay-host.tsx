import { useEffect, useState } from 'react';
import { lazyComponent } from '../lazy-component.tsx';

type OverlayModule = typeof import('./overlays.tsx');
type Task = (overlays: OverlayModule) => void;

/*
 * Dialogs and toasts are a tenth of the page weight, and most visits start without any. The first
 * request loads them; requests until then are queued.
 */
let ready: OverlayModule | undefined;
let wake: (() => void) | undefined;
const waiting: Task[] = [];

const load = () => import('./overlays.tsx');

/** Runs a task with dialogs or toasts once they are loaded. */
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

/** Mount point of dialogs and toasts. */
export function OverlayHost() {
  const [wanted, setWanted] = useState(waiting.length > 0);
  useEffect(() => {
    wake = () => setWanted(true);
    if (waiting.length > 0) setWanted(true);
    return () => {
      wake = undefined;
      // After an unmount nothing draws dialogs: the next host starts again.
      ready = undefined;
    };
  }, []);
  return wanted && <Overlays />;
}
