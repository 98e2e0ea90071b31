import { type ComponentType, type ReactNode, Suspense, use, useSyncExternalStore } from 'react';

let count = 0;
const listeners = new Set<() => void>();

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  count += 1;
  for (const listener of listeners) listener();
}

// Any component: its properties only pass through.
// biome-ignore lint/suspicious/noExplicitAny: `never` would not take components whose properties have defaults.
type AnyComponent = ComponentType<any>;

/** A component whose code is a file of its own. `preload` loads that file ahead; what fails there is tried again when the component is drawn. */
export type LazyComponent<C extends AnyComponent> = C & { readonly preload: () => Promise<void> };

/**
 * A component whose code is loaded when it is first drawn, inside a `Loading`. Unlike React's `lazy` it is drawn at once, without the
 * fallback, where its code is there already.
 */
export function lazyComponent<C extends AnyComponent>(load: () => Promise<C>): LazyComponent<C> {
  let loading: Promise<C> | undefined;
  const begin = () => {
    if (loading) return loading;
    const begun = load();
    loading = begun;
    begun.then(
      (value) => {
        // What React reads of a promise: with these it does not wait for what is there.
        Object.assign(begun, { status: 'fulfilled', value });
        tell();
      },
      () => undefined,
    );
    return begun;
  };
  const preload = async () => {
    try {
      await begin();
    } catch {
      loading = undefined;
    }
  };
  const draw = (props: Record<string, unknown>) => {
    const Drawn: AnyComponent = use(begin());
    return <Drawn {...props} />;
  };
  return Object.assign(draw, { preload }) as unknown as LazyComponent<C>;
}

/**
 * Shows `fallback` until the code of what is inside has been loaded. React's own `Suspense` shows nothing new within 300 ms of the last
 * fallback; an update of its own makes it look at once.
 */
export function Loading({
  fallback,
  children,
}: {
  readonly fallback?: ReactNode;
  readonly children?: ReactNode;
}) {
  useSyncExternalStore(listen, () => count);
  return <Suspense fallback={fallback}>{children}</Suspense>;
}
