import type { Field, Fields, LocalText } from '@sallyport/contract';
import type { ComponentType } from 'react';
import type { FormErrors, FormValues } from './form-state.ts';

/** What every control of a form gets. */
export interface WidgetProps {
  readonly name: string;
  readonly field: Field;
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
  /** For objects: the problems of their members by path, and what is called when one of them is left. */
  /** For objects: the members that have a control; absent: all of them. */
  readonly members?: readonly string[];
  readonly inner?: { readonly errors: FormErrors; readonly leave: (path: string) => void };
}

/** What a page says differently about one field. */
export interface FieldOverride {
  readonly label?: LocalText;
  readonly help?: LocalText;
  readonly required?: boolean;
  /** A switch that has to be on: off counts as missing. */
  readonly mustBeOn?: boolean;
  /** A secret that the object has none of: it does not offer to keep one. */
  readonly isUnset?: boolean;
  /** Hidden fields are not checked, but their value is sent (specification facts on forms). */
  readonly hidden?: (values: FormValues, updating: boolean) => boolean;
  readonly disabled?: (values: FormValues, updating: boolean) => boolean;
  /** Why the field of this object cannot be changed: its control is disabled and says it. */
  readonly refusal?: (object: FormValues) => string | undefined;
  /** For an object: the members that the other values ask for. */
  readonly members?: (values: FormValues) => readonly string[];
  readonly widget?: ComponentType<WidgetProps>;
  /** A field that only the page knows: drawn like this, never sent. */
  readonly clientOnly?: Field;
}

/** Fields under one heading, by name. */
export interface FormGroup<Name extends string = string> {
  readonly title: LocalText;
  readonly fields: readonly Name[];
}

/** The names of the fields of a declaration, and of those that only the page knows. */
export type FieldName<F extends Fields, Own extends string = never> = (keyof F & string) | Own;

export type FieldOverrides = Readonly<Record<string, FieldOverride>>;
