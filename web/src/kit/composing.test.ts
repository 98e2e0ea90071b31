import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isEnter } from './composing.ts';

const SOURCES = join(import.meta.dirname, '..');
/** Elements that take keys but no text, so no input method writes in them. */
const WITHOUT_TEXT = new Set([
  'console/tree/TreeRow.tsx',
  'terminal/files/FileList.tsx',
  'kit/composing.ts',
  'console/resource/columns/ResizeHandle.tsx',
  'console/resource/object/ObjectLink.tsx',
  'terminal/files/browser-keys.ts',
  // It decides which keys an input method took.
  'terminal/view/input-method.ts',
  // The frame of the palette leaves these keys to an input method before it passes them on.
  'kit/palette/OptionList.tsx',
  'kit/palette/option.ts',
  // The name of a key in a recording.
  'terminal/desktop/replay/typed-texts.ts',
]);
const CAREFUL = /(?:isComposing|isEnter)\(event\)/;
/** TagsInput of Mantine and the tree's field for a new name take the Enter of a composition. */
const ACTS_AT_KEYS =
  /(?:[!=]== |case )'(?:(?:Numpad)?Enter|Escape)'|<TagsInput\b|\brenamingFeature\b/;

/** An Enter as Chromium, Firefox and Safari report it. */
const enter = (keyCode: number, isComposing = false) =>
  ({ key: 'Enter', keyCode, isComposing }) as KeyboardEvent;

it('leaves the Enter that takes the text of an input method to it', () => {
  expect(isEnter(enter(13))).toBe(true);
  expect(isEnter(enter(229, true))).toBe(false);
  expect(isEnter(enter(13, true))).toBe(false);
  // Safari, after the end of the composition.
  expect(isEnter(enter(229))).toBe(false);
});

it('asks for input methods wherever a field acts at Enter or Escape', () => {
  const careless = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
    .filter((name) => !name.includes('.test.') && !WITHOUT_TEXT.has(name))
    .filter((name) => {
      const text = readFileSync(join(SOURCES, name), 'utf8');
      return ACTS_AT_KEYS.test(text) && !CAREFUL.test(text);
    });
  expect(careless).toEqual([]);
});
