import url from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';

/** The address of the font that this browser has loaded before. */
const STORAGE_KEY = 'sallyport-font';
/** Milliseconds before a first visit loads the font for later pages. */
const LATE = 20_000;
/** Inter draws Latin letters; Chinese ones come from the system, whose fonts need no download. */
const LATIN =
  'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+2000-206F, U+20AC, U+2122, U+2190-2193, U+2212, U+2215, U+FEFF, U+FFFD';

/** Draws the page in Inter, and remembers that this browser has the font. */
async function loadFont(): Promise<void> {
  if (typeof FontFace === 'undefined') return;
  const face = new FontFace('Inter Variable', `url(${url}) format("woff2")`, {
    ...{ weight: '100 900', display: 'swap', unicodeRange: LATIN },
  });
  document.fonts.add(face);
  await face.load();
  localStorage.setItem(STORAGE_KEY, url);
}

/** Loads the font into the cache of the browser, without drawing the page again. */
async function storeFont(): Promise<void> {
  const { ok } = await fetch(url, { priority: 'low' });
  if (ok) localStorage.setItem(STORAGE_KEY, url);
}

/**
 * Draws the page in Inter if this browser has the font, as it has after the sign-in page. Other
 * first visits keep the font of the system, because 48 KiB would delay their first rows.
 */
export function startFont(): void {
  const isSignIn = location.pathname.startsWith('/core/auth/');
  if (isSignIn || localStorage.getItem(STORAGE_KEY) === url) loadFont().catch(() => undefined);
  else setTimeout(() => storeFont().catch(() => undefined), LATE);
}
