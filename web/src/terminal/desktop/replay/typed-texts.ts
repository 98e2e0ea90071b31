import type { RecordedKey } from '@sallyport/contract';
import type { ListedCommand } from '../../replay/CommandList.tsx';
import { nameOf } from './key-names.ts';

/** Seconds without a key after which a new text begins. */
const PAUSE_SECONDS = 5;
/** Maximum length of a text; longer input is split. */
const LONGEST = 200;

/** A key of a recording, with its second. */
export interface TimedKey extends RecordedKey {
  readonly at: number;
}

/**
 * The keys of a recording as texts in their order: a text ends with Enter, or before a pause. Keys
 * that type nothing are in brackets, with the keys that were held: `ls -l[Enter]`,
 * `[Ctrl+Alt+Delete]`.
 */
export function typedTexts(keys: readonly TimedKey[]): ListedCommand[] {
  const texts: (Omit<ListedCommand, 'input'> & { input: string })[] = [];
  const held = new Set<string>();
  let last = Number.NEGATIVE_INFINITY;
  let isOpen = false;
  for (const key of keys) {
    const { kind, name } = nameOf(key, held.has('Shift'));
    if (kind === 'modifier') {
      if (key.isDown) held.add(name);
      else held.delete(name);
      continue;
    }
    if (!key.isDown) continue;
    // Shift and AltGr choose the character.
    const others = [...held].filter(
      (one) => kind === 'named' || (one !== 'Shift' && one !== 'AltGr'),
    );
    const isText = kind === 'character' && others.length === 0;
    const label = isText
      ? name
      : `[${[...others, kind === 'character' && name !== ' ' ? name.toUpperCase() : name === ' ' ? 'Space' : name].join('+')}]`;
    const open = texts.at(-1);
    if (
      isOpen &&
      open &&
      key.at - last <= PAUSE_SECONDS &&
      open.input.length + label.length <= LONGEST
    )
      open.input += label;
    else
      texts.push({
        id: String(texts.length),
        input: label,
        offset_seconds: key.at,
        typed_by: '',
        risk_level: 0,
      });
    isOpen = name !== 'Enter' || isText;
    last = key.at;
  }
  return texts;
}
