import { lazyComponent } from '../../../kit/lazy-component.tsx';

/** The generic form page, loaded lazily by the pages that draw it and preloaded by routes. */
export const LazyFormPage = lazyComponent(() =>
  import('./FormPage.tsx').then((module) => module.FormPage),
);
