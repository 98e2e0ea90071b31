import { choicesOf, type Fields, shapeOf, targetOf } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** A field that can be searched by: free text, one of its choices, or an object of another resource. */
export interface SearchField {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The resource whose objects are its values. */
  readonly target?: string;
}

/** A search that a list offers ready-made, with a name of its own. */
export interface SearchPreset {
  readonly label: string;
  /** One term of a search. */
  readonly search: string;
}

const YES_OR_NO = () => [
  { value: 'true', label: t(common.yes) },
  { value: 'false', label: t(common.no) },
];

/** What a list can be searched by, as the declarations of its fields say. */
export function searchFields(fields: Fields, exclude: readonly string[] = []): SearchField[] {
  return Object.entries(fields).flatMap(([name, field]): SearchField[] => {
    if (!field.filter || exclude.includes(name)) return [];
    const label = t(field.label);
    const [choices, target, shape] = [choicesOf(field), targetOf(field), shapeOf(field)];
    if (choices)
      return [
        {
          name,
          label,
          choices: choices.map((choice) => ({
            value: String(choice.value),
            label: t(choice.label),
          })),
        },
      ];
    if (shape === 'boolean') return [{ name, label, choices: YES_OR_NO() }];
    if (target) return [{ name, label, target }];
    return ['id', 'text', 'integer', 'string'].includes(shape) ? [{ name, label }] : [];
  });
}

/** Filters that only links set, such as those of the start page; what they leave are the rows that the link counted. */
const OF_LINKS = /^(spm|attention|is_online|(un)?used_)/;

/** What the tag of a filter says. `named` are names of objects by their id, as far as they are known. */
export function tagText(
  fields: readonly SearchField[],
  name: string,
  value: string,
  named: ReadonlyMap<string, string> = new Map(),
): string {
  // A set of rows has no words but these; its value is an id.
  if (OF_LINKS.test(name)) return t(words.chosenRows);
  const field = fields.find((one) => one.name === name);
  return `${field?.label ?? name}: ${field?.choices?.find((choice) => choice.value === value)?.label ?? named.get(value) ?? value}`;
}

/** The conditions that say something. */
export function withoutBlanks(filters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) =>
      value.trim() ? [[name, value.trim()] as const] : [],
    ),
  );
}
