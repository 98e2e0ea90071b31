import { type PageOptions, renderPage } from './render-page.tsx';

function Probe<T>({ run, seen }: { readonly run: () => T; readonly seen: (value: T) => void }) {
  seen(run());
  return null;
}

/** Runs a hook on an empty page of the console. `now` holds the latest result. */
export async function renderHook<T>(run: () => T, options?: PageOptions) {
  const values: T[] = [];
  const { router } = await renderPage(
    <Probe run={run} seen={(value) => values.push(value)} />,
    options,
  );
  const now = (): T => {
    const last = values.at(-1);
    if (last === undefined) throw new Error('the hook has not run');
    return last;
  };
  return { now, router };
}
