import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { SERVER_CHANGED } from './connection/connection.ts';
import { ErrorBoundary } from './page/ErrorBoundary.tsx';

// Accepts any component, because its props only pass through.
// biome-ignore lint/suspicious/noExplicitAny: `never` would not take components whose properties have defaults.
type AnyComponent = ComponentType<any>;

/**
 * A component whose code is loaded when it is first drawn; `fallback` shows until then. For large
 * parts that most visits never open. If the code cannot be loaded, the part shows the error and the
 * rest of the page survives.
 */
export function lazyComponent<C extends AnyComponent>(
  load: () => Promise<C>,
  fallback: ReactNode = null,
): C {
  const Part: AnyComponent = lazy(async () => {
    try {
      return { default: await load() };
    } catch (error) {
      // The file may belong to an earlier version of the server.
      dispatchEvent(new Event(SERVER_CHANGED));
      throw error;
    }
  });
  const draw: AnyComponent = (props: Record<string, unknown>) => (
    <ErrorBoundary>
      <Suspense fallback={fallback}>
        <Part {...props} />
      </Suspense>
    </ErrorBoundary>
  );
  return draw as C;
}
