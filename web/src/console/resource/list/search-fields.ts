import type { FieldMetadata } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';
import { referenceTo } from '../references.ts';

/** A field that can be searched by: free text, one of its choices, or an object of another resource. */
export interface SearchField {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The resource whose objects are its values. */
  readonly target?: string;
}

const TEXT_TYPES = new Set(['string', 'email', 'slug', 'integer']);

/** The fields that the metadata marks as filters. */
export function searchFields(metadata: Readonly<Record<string, FieldMetadata>>, exclude: readonly string[] = []): SearchField[] {
  return Object.entries(metadata).flatMap(([name, field]): SearchField[] => {
    if (!field.filter || exclude.includes(name)) return [];
    const { label, target } = field;
    if (field.choices) return [{ name, label, choices: field.choices.map(({ value, display_name }) => ({ value: String(value), label: display_name })) }];
    if (field.type === 'boolean') {
      return [
        {
          name,
          label,
          choices: [
            { value: 'true', label: t(common.yes) },
            { value: 'false', label: t(common.no) },
          ],
        },
      ];
    }
    if (target && referenceTo(target)) return [{ name, label, target }];
    return TEXT_TYPES.has(field.type) ? [{ name, label }] : [];
  });
}

/** What the tag of a filter says. `named` are names of objects by their id, as far as they are known. */
export function tagText(fields: readonly SearchField[], name: string, value: string, named: ReadonlyMap<string, string> = new Map()): string {
  const field = fields.find((one) => one.name === name);
  return `${field?.label ?? name}: ${field?.choices?.find((choice) => choice.value === value)?.label ?? named.get(value) ?? value}`;
}

/** The conditions that say something. */
export function withoutBlanks(filters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).flatMap(([name, value]) => (value.trim() ? [[name, value.trim()] as const] : [])));
}
