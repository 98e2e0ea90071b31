import { afterEach, expect, it } from 'vitest';
import { printLight } from './print-light.ts';

const root = document.documentElement;
const before = root.getAttribute('data-mantine-color-scheme');
afterEach(() => {
  if (before === null) root.removeAttribute('data-mantine-color-scheme');
  else root.setAttribute('data-mantine-color-scheme', before);
});

it.each(['dark', 'light'])('prints a %s page in the light theme, and restores it', (scheme) => {
  root.setAttribute('data-mantine-color-scheme', scheme);
  printLight();
  window.dispatchEvent(new Event('beforeprint'));
  expect(root.getAttribute('data-mantine-color-scheme')).toBe('light');
  window.dispatchEvent(new Event('afterprint'));
  expect(root.getAttribute('data-mantine-color-scheme')).toBe(scheme);
});
