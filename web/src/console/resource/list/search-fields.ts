import type { Fields } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';

/** A field that can be searched by: free text, one of its choices, or an object of another resource. */
export interface SearchField {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The resource whose objects are its values. */
  readonly target?: string;
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
    if (field.choices) return [{ name, label, choices: field.choices.map((choice) => ({ value: String(choice.value), label: t(choice.label) })) }];
    if (field.kind === 'boolean' || field.computedType === 'boolean') return [{ name, label, choices: YES_OR_NO() }];
    if (field.target) return [{ name, label, target: field.target }];
    return ['id', 'text', 'integer'].includes(field.kind) || field.computedType === 'string' ? [{ name, label }] : [];
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
