import { lazyComponent } from '../../../kit/lazy-component.tsx';

/** The tabbed page, loaded lazily by detail pages and preloaded by routes. */
export const LazyTabbedPage = lazyComponent(() =>
  import('../TabbedPage.tsx').then((module) => module.TabbedPage),
);
