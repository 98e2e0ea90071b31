import type { FieldMetadata, LocalText } from '@sallyport/contract';
import type { ComponentType } from 'react';
import type { FormErrors, FormValues } from './form-state.ts';

/** What every control of a form gets. */
export interface WidgetProps {
  readonly name: string;
  readonly field: FieldMetadata;
  readonly label: string;
  readonly help?: string | undefined;
  readonly required: boolean;
  readonly disabled: boolean;
  readonly error?: string | undefined;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onBlur: () => void;
  /** An object is being changed, so a blank secret means "as it is". */
  readonly updating: boolean;
  /** For fields with fields inside: their problems by path, and what is called when one of them is left. */
  readonly inner?: { readonly errors: FormErrors; readonly leave: (path: string) => void };
}

/** What a page says differently about one field. */
export interface FieldOverride {
  readonly label?: LocalText;
  readonly help?: LocalText;
  readonly required?: boolean;
  /** A switch that has to be on: off counts as missing. */
  readonly mustBeOn?: boolean;
  /** Hidden fields are not checked, but their value is sent (specification facts on forms). */
  readonly hidden?: (values: FormValues, updating: boolean) => boolean;
  readonly disabled?: (values: FormValues, updating: boolean) => boolean;
  readonly widget?: ComponentType<WidgetProps>;
  /** A field that only the page knows: drawn like this, never sent. */
  readonly clientOnly?: FieldMetadata;
}

export interface FormGroup {
  readonly title: LocalText;
  readonly fields: readonly string[];
}

export type FieldOverrides = Readonly<Record<string, FieldOverride>>;
