import { choicesOf, type Fields, shapeOf, targetOf } from '@sallyport/contract';
import { common, t } from '../../../../kit/i18n/index.ts';
import { words } from '../words.ts';

/** A searchable field: free text, choices, or objects of another resource. */
export interface SearchField {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The resource of the objects that are its values. */
  readonly target?: string;
}

/** A predefined search with its own label. */
export interface SearchPreset {
  readonly label: string;
  /** One term of a search. */
  readonly search: string;
}

const YES_OR_NO = () => [
  { value: 'true', label: t(common.yes) },
  { value: 'false', label: t(common.no) },
];

/** Returns the searchable fields by their declarations. */
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

/**
 * Filters set only by links, such as those of the dashboard; the result is the rows that the link
 * counted.
 */
const OF_LINKS = /^(spm|attention|is_online|(un)?used_)/;

/** Returns the text of a filter tag. `names` holds the known object names by id. */
export function tagText(
  fields: readonly SearchField[],
  name: string,
  value: string,
  named: ReadonlyMap<string, string> = new Map(),
): string {
  // The value of a set is an internal id, so the tag shows a generic text.
  if (OF_LINKS.test(name)) return t(words.chosenRows);
  const field = fields.find((one) => one.name === name);
  return `${field?.label ?? name}: ${field?.choices?.find((choice) => choice.value === value)?.label ?? named.get(value) ?? value}`;
}

/** Drops blank conditions. */
export function withoutBlanks(filters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) =>
      value.trim() ? [[name, value.trim()] as const] : [],
    ),
  );
}
