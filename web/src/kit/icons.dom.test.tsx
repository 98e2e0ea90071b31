import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { IconStarFilled, IconX } from './icons.ts';

test('draws a line icon with the given size, color and line width', () => {
  const { container } = render(<IconX size={16} color="red" stroke={1.5} aria-hidden="true" />);
  const svg = container.querySelector('svg');
  const attributes = [
    'width',
    'height',
    'viewBox',
    'fill',
    'stroke',
    'stroke-width',
    'aria-hidden',
  ].map((name) => svg?.getAttribute(name));
  expect(attributes).toEqual(['16', '16', '0 0 24 24', 'none', 'red', '1.5', 'true']);
  expect(container.querySelector('path')?.getAttribute('d')).toMatch(/^M[\d ]/);
});

test('draws a filled icon in the text color without lines', () => {
  const { container } = render(<IconStarFilled />);
  const svg = container.querySelector('svg');
  expect(['width', 'fill', 'stroke'].map((name) => svg?.getAttribute(name))).toEqual([
    '24',
    'currentColor',
    null,
  ]);
});
