import { FONTS } from './settings.ts';

const SAMPLE = 'mmmmiiiiWWWW0011';

/**
 * The fonts of the list that this computer has: text in such a font is wider or narrower than in
 * one of the two fallbacks.
 */
export function installedFonts(): readonly string[] {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return FONTS;
  const width = (family: string): number => {
    context.font = `32px ${family}`;
    return context.measureText(SAMPLE).width;
  };
  return FONTS.filter(
    (font) =>
      font === '' ||
      ['serif', 'sans-serif'].some(
        (fallback) => width(`"${font}", ${fallback}`) !== width(fallback),
      ),
  );
}
