import { lazyComponent } from '../../../kit/lazy-component.tsx';

/** The tabs of a page of one object, for the pages that draw them and for the routes that load them ahead. */
export const LazyTabbedPage = lazyComponent(() =>
  import('../TabbedPage.tsx').then((module) => module.TabbedPage),
);
