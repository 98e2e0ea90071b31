import { expect, it } from 'vitest';
import { withMark } from '../../../first-paint.ts';

const STYLE = '<link rel="stylesheet" crossorigin href="/static/app/a.css">';
const page = (body: string) =>
  `<html>\n  <head>\n    <title>x</title>\n    ${STYLE}\n  </head>\n  <body>\n    ${body}\n  </body>\n</html>`;

it('draws the mark before the styles, and keeps the order of the styles', () => {
  const other = STYLE.replace('a.css', 'b.css');
  const html = withMark(page('<div id="root"></div>').replace(STYLE, `${STYLE}\n    ${other}`));
  const places = ['</head>', '<svg', '/a.css', '/b.css', '</body>'].map((part) =>
    html.indexOf(part),
  );
  expect(places).toEqual(places.toSorted((one, next) => one - next));
  expect(places).not.toContain(-1);
  expect(html.match(/rel="stylesheet"/g)).toHaveLength(2);
  expect(html.split('</head>')[0]).toContain('prefers-color-scheme: dark');
});

it('leaves a page without a root as it is', () => {
  const frame = page('<canvas></canvas>');
  expect(withMark(frame)).toBe(frame);
});
