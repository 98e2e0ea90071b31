import { isUuid } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { words } from '../words.ts';
import type { SearchField, SearchPreset } from './search-fields.ts';

export interface Option {
  readonly key: string;
  readonly label: string;
  readonly pick: () => void;
}

interface OptionsOf {
  readonly fields: readonly SearchField[];
  readonly presets: readonly SearchPreset[];
  /** The field whose value the user types. */
  readonly chosen: SearchField | undefined;
  readonly typed: string;
  readonly onSearch: (text: string) => void;
  readonly onFilter: (field: SearchField, value: string) => void;
  readonly onChoose: (field: SearchField) => void;
}

/** Returns the conditions that the search field offers for the typed text. */
export function searchOptions({
  fields,
  presets,
  chosen,
  typed,
  onSearch,
  onFilter,
  onChoose,
}: OptionsOf): Option[] {
  const needle = typed.toLowerCase();
  const typedOption = (field: SearchField): Option => ({
    key: field.name,
    label: `${field.label}: ${typed}`,
    pick: () => onFilter(field, typed),
  });
  const valueOptions = (field: SearchField): Option[] =>
    (field.choices ?? [])
      .filter((choice) => chosen || `${field.label} ${choice.label}`.toLowerCase().includes(needle))
      .map((choice) => ({
        key: `${field.name}=${choice.value}`,
        label: `${field.label}: ${choice.label}`,
        pick: () => onFilter(field, choice.value),
      }));
  if (chosen?.choices) return valueOptions(chosen);
  if (chosen) return typed ? [typedOption(chosen)] : [];
  // Users do not type ids of other objects; the advanced filter offers those conditions.
  const typeable = fields.filter(({ target }) => !target);
  const presetOptions = presets
    .filter(({ label }) => label.toLowerCase().includes(needle))
    .map(({ label, search }) => ({ key: search, label, pick: () => onSearch(search) }));
  if (!typed)
    return [
      ...presetOptions,
      ...typeable.map((field) => ({
        key: field.name,
        label: field.label,
        pick: () => onChoose(field),
      })),
    ];
  return [
    { key: '', label: t(words.searchFor, { text: typed }), pick: () => onSearch(typed) },
    ...presetOptions,
    // Suggest the id only for a pasted UUID; for other text it would be noise.
    ...typeable
      .filter((field) => field.name !== 'id' || isUuid(typed))
      .flatMap((field) => (field.choices ? valueOptions(field) : [typedOption(field)])),
  ];
}
