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

// Accepts any component, because its props only pass through.
// biome-ignore lint/suspicious/noExplicitAny: `never` would not take components whose properties have defaults.
type AnyComponent = ComponentType<any>;

/**
 * A component in its own bundle. `preload` loads the bundle ahead of time; a failure is retried
 * when the component is drawn.
 */
export type LazyComponent<C extends AnyComponent> = C & { readonly preload: () => Promise<void> };

/**
 * A component whose code is loaded on first render, inside a `Loading`. Unlike React's `lazy`,
 * already loaded code renders at once, without the fallback.
 */
export function lazyComponent<C extends AnyComponent>(load: () => Promise<C>): LazyComponent<C> {
  let loading: Promise<C> | undefined;
  const begin = () => {
    if (loading) return loading;
    const begun = load();
    loading = begun;
    begun.then(
      (value) => {
        // React reads these properties of a promise and then does not suspend.
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
 * Shows `fallback` until the code of its children is loaded. React's `Suspense` delays new content
 * for 300 ms after the last fallback; an additional state update avoids the delay.
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
