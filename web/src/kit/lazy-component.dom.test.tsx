import { Component, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Loading, lazyComponent } from './lazy-component.tsx';

const Text = ({ children }: { readonly children: ReactNode }) => <p>{children}</p>;

const seen: string[] = [];
function Fallback() {
  seen.push('fallback');
  return null;
}

class Boundary extends Component<{ readonly children: ReactNode }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override render() {
    return this.state.failed ? 'failed' : this.props.children;
  }
}

/**
 * Runs pending tasks and React work for a few milliseconds, less than the time for which React
 * throttles fallbacks.
 */
async function atOnce(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((done) => setImmediate(done));
}

let root: Root;
let place: HTMLElement;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  // Inside `act`, React does not throttle.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  place = document.createElement('div');
  root = createRoot(place);
});
afterEach(() => {
  root.unmount();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('draws loaded code at once, even if it loads more code right after another wait', async () => {
  const inner = Promise.withResolvers<typeof Text>();
  const Inner = lazyComponent(() => inner.promise);
  const outer = Promise.withResolvers<() => ReactNode>();
  const Outer = lazyComponent(() => outer.promise);
  root.render(
    <Loading fallback="outer…">
      <Outer />
    </Loading>,
  );
  await atOnce();
  expect(place.textContent).toBe('outer…');
  outer.resolve(() => (
    <Loading fallback="inner…">
      <Inner>there</Inner>
    </Loading>
  ));
  await atOnce();
  expect(place.textContent).toBe('inner…');
  inner.resolve(Text);
  await atOnce();
  expect(place.textContent).toBe('there');
});

test('draws preloaded code without the fallback', async () => {
  const Ahead = lazyComponent(async () => Text);
  await Ahead.preload();
  seen.length = 0;
  root.render(
    <Loading fallback={<Fallback />}>
      <Ahead>there</Ahead>
    </Loading>,
  );
  await atOnce();
  expect(place.textContent).toBe('there');
  expect(seen).toEqual([]);
});

test('retries a failed preload when drawn, and then reports a failure as an error of the page', async () => {
  const load = vi
    .fn<() => Promise<typeof Text>>()
    .mockRejectedValueOnce(new Error('offline'))
    .mockResolvedValueOnce(Text);
  const Again = lazyComponent(load);
  await Again.preload();
  const Never = lazyComponent(async (): Promise<typeof Text> => {
    throw new Error('offline');
  });
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  root.render(
    <>
      <Loading>
        <Again>there</Again>
      </Loading>
      <Boundary>
        <Loading>
          <Never>never</Never>
        </Loading>
      </Boundary>
    </>,
  );
  await atOnce();
  expect(load).toHaveBeenCalledTimes(2);
  expect(place.textContent).toBe('therefailed');
  vi.mocked(console.error).mockRestore();
});
