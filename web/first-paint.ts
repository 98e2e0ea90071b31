import type { Plugin } from 'vite';

/** The colors of an empty page. A theme that the user chose applies once the code runs. */
const COLORS = `  <style>
      #starting {
        position: fixed;
        inset: 0;
        display: grid;
        place-items: center;
        color: #0b1220;
        background: #ffffff;
      }
      @media (prefers-color-scheme: dark) {
        #starting {
          color: #dbe4f0;
          background: #0f1829;
        }
      }
    </style>
  </head>`;
/** The mark in the middle of the page, where the start of the page draws it again. */
const MARK = `<div id="root">
      <div id="starting">
        <svg width="48" height="48" viewBox="0 0 32 32" aria-hidden="true">
          <path d="M6 23V9.5L14.5 4v19z" fill="#2dc4b2" />
          <path d="M26 23V9.5L17.5 4v19z" fill="#0d9488" />
          <path d="M3.5 27h25" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" />
        </svg>
      </div>
    </div>`;
const ROOT = '<div id="root"></div>';
const STYLES = /\n\s*<link rel="stylesheet"[^>]*>/g;

/** Returns a page that draws the mark before its styles and code arrive. */
export function withMark(html: string): string {
  if (!html.includes(ROOT)) return html;
  const styles = html.match(STYLES) ?? [];
  // Styles in the head would delay the first paint; code runs after styles of either place.
  return html
    .replace(STYLES, '')
    .replace('</head>', () => COLORS)
    .replace(ROOT, () => MARK + styles.join(''));
}

/** Draws the mark of the product on every page as soon as its HTML arrives. */
export function firstPaint(): Plugin {
  return {
    name: 'sallyport-first-paint',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === 'asset' && file.fileName.endsWith('.html'))
            file.source = withMark(String(file.source));
      },
    },
  };
}
