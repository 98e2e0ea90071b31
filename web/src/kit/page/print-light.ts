const SCHEME = 'data-mantine-color-scheme';

/** Prints pages in the light theme: browsers leave out dark backgrounds, and keep light text. */
export function printLight(): void {
  const root = document.documentElement;
  let before: string | null = null;
  window.addEventListener('beforeprint', () => {
    before = root.getAttribute(SCHEME);
    root.setAttribute(SCHEME, 'light');
  });
  window.addEventListener('afterprint', () => {
    if (before !== null) root.setAttribute(SCHEME, before);
  });
}
