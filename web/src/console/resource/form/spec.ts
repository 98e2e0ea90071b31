import type { Field, Fields, LocalText } from '@sallyport/contract';
import type { ComponentType } from 'react';
import type { FormErrors, FormValues } from './form-state.ts';

/** Props of every form control. */
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
  /** The form updates an object, so a blank secret means "unchanged". */
  readonly updating: boolean;
  /** For objects: names of the members with a control; defaults to all. */
  readonly members?: readonly string[];
  /** For objects: problems by member path, and a callback for when the focus leaves a member. */
  readonly inner?: { readonly errors: FormErrors; readonly leave: (path: string) => void };
}

/** Differences of one field on a page from its declaration. */
export interface FieldOverride {
  readonly label?: LocalText;
  readonly help?: LocalText;
  readonly required?: boolean;
  /** A switch that must be on: off counts as missing. */
  readonly mustBeOn?: boolean;
  /** The object has no such secret yet, so the control does not offer to keep it. */
  readonly isUnset?: boolean;
  /** Hidden fields are not checked; their value is still sent (specification facts on forms). */
  readonly hidden?: (values: FormValues, updating: boolean) => boolean;
  readonly disabled?: (values: FormValues, updating: boolean) => boolean;
  /** Returns true for a choice that the other values allow. The chosen one always stays. */
  readonly offers?: (choice: unknown, values: FormValues) => boolean;
  /**
   * Returns why this object does not allow changing the field. The control is disabled and shows
   * the reason.
   */
  readonly refusal?: (object: FormValues) => string | undefined;
  /** For objects: the members required by the other values. */
  readonly members?: (values: FormValues) => readonly string[];
  readonly widget?: ComponentType<WidgetProps>;
  /** Decides only which other fields are visible: summaries leave it out. */
  readonly isControl?: boolean;
  /** Takes the whole width of the form; defaults to true for text areas, keys and objects. */
  readonly isWide?: boolean;
  /** Anchor in the operator guide that explains the field, by language. */
  readonly guide?: LocalText;
  /** A field that exists only on the page and is never sent. */
  readonly clientOnly?: Field;
}

export interface FormGroup<Name extends string = string> {
  readonly title: LocalText;
  readonly fields: readonly Name[];
  /** Fields in a row of a wide form; defaults to two. */
  readonly columns?: 3;
  /** Folded until the user opens it or a field inside is invalid. */
  readonly isFolded?: boolean;
}

/** Field names of a declaration, plus fields that exist only on the page. */
export type FieldName<F extends Fields, Own extends string = never> = (keyof F & string) | Own;

export type FieldOverrides = Readonly<Record<string, FieldOverride>>;
