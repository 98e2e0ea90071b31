import { FONTS } from './settings.ts';

const SAMPLE = 'mmmmiiiiWWWW0011';

/**
 * Returns the installed fonts of the list. Text in an installed font has another width than in one
 * of the two fallback fonts.
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
