import type { FieldMetadata } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';

/** A field that can be searched by: free text, or one of its choices. */
export interface SearchField {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

const TEXT_TYPES = new Set(['string', 'email', 'slug', 'integer']);

/** The fields that the metadata marks as filters. Relations are left out: nobody types their ids. */
export function searchFields(metadata: Readonly<Record<string, FieldMetadata>>, exclude: readonly string[] = []): SearchField[] {
  return Object.entries(metadata).flatMap(([name, field]): SearchField[] => {
    if (!field.filter || exclude.includes(name)) return [];
    const { label } = field;
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
    return TEXT_TYPES.has(field.type) ? [{ name, label }] : [];
  });
}

/** What the tag of a filter says. */
export function tagText(fields: readonly SearchField[], name: string, value: string): string {
  const field = fields.find((one) => one.name === name);
  return `${field?.label ?? name}: ${field?.choices?.find((choice) => choice.value === value)?.label ?? value}`;
}
