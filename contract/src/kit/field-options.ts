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

/** True or false if the options decide it for the compiler, otherwise boolean. */
type RequiredOf<O> = O extends { readonly required: infer R extends boolean }
  ? R
  : O extends
        | { readonly nullable: true }
        | { readonly readOnly: true }
        | { readonly defaultValue: unknown }
    ? false
    : Extract<keyof O, 'required' | 'nullable' | 'readOnly' | 'defaultValue'> extends never
      ? true
      : boolean;

/** Tells the compiler whether a body must contain the field. */
export interface Presence<O> {
  readonly required: RequiredOf<O>;
}

export function common<
  Out,
  Mode extends FieldMode,
  Kind extends FieldKind,
  const O extends CommonOptions,
  Default = never,
>(
  kind: Kind,
  mode: Mode,
  options: O & { readonly defaultValue?: Default },
): FieldBase<Out, Mode, Kind, Default> & Presence<O> {
  const optional =
    options.nullable === true || options.defaultValue !== undefined || mode === 'readonly';
  return {
    kind,
    mode,
    label: options.label,
    required: (options.required ?? !optional) as boolean & RequiredOf<O>,
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
