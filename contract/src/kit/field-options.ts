import type { FieldBase, FieldKind, FieldMode } from './field-kinds.ts';
import type { LocalText } from './text.ts';

/** Options of all kinds of fields. */
export interface CommonOptions {
  readonly label: LocalText;
  readonly help?: LocalText;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly readOnly?: boolean;
  readonly search?: boolean;
  readonly order?: boolean;
  readonly filter?: boolean;
  readonly detailOnly?: boolean;
  readonly example?: unknown;
  readonly yesMeans?: 'care' | 'neither';
}

export type ModeOf<O> = O extends { readonly readOnly: true } ? 'readonly' : 'readwrite';
export type Nullable<O, T> = O extends { readonly nullable: true } ? T | null : T;

export function common<Out, Mode extends FieldMode, Kind extends FieldKind, Default = never>(
  kind: Kind,
  mode: Mode,
  options: CommonOptions & { readonly defaultValue?: Default },
): FieldBase<Out, Mode, Kind, Default> {
  const optional =
    options.nullable === true || options.defaultValue !== undefined || mode === 'readonly';
  return {
    kind,
    mode,
    label: options.label,
    required: options.required ?? !optional,
    nullable: options.nullable ?? false,
    ...(options.help && { help: options.help }),
    ...(options.defaultValue !== undefined && { defaultValue: options.defaultValue }),
    ...(options.search && { search: true }),
    ...(options.order && { order: true }),
    ...(options.filter && { filter: true }),
    ...(options.detailOnly && { detailOnly: true }),
    ...(options.example !== undefined && { example: options.example }),
    ...(options.yesMeans && { yesMeans: options.yesMeans }),
  };
}

export const modeOf = <O extends CommonOptions>(options: O) =>
  (options.readOnly ? 'readonly' : 'readwrite') as ModeOf<O>;
