import { lazyComponent } from '../../../kit/lazy-component.tsx';

/** The generic form page, for the pages that draw it and for the routes that load it ahead. */
export const LazyFormPage = lazyComponent(() =>
  import('./FormPage.tsx').then((module) => module.FormPage),
);
