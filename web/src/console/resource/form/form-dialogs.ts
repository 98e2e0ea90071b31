import { type ComponentType, createContext, useContext } from 'react';
import type { FormValues } from './form-state.ts';

export interface CreateDialogProps {
  readonly resource: string;
  readonly initial?: FormValues;
  readonly onSaved?: (saved: unknown) => void;
  readonly onClose: () => void;
}

/** An object chosen in the tree, with the data for a confirmation. */
export interface PickedObject {
  readonly id: string;
  readonly key?: string;
  readonly assets_amount?: number;
}

export interface TreePickerProps {
  readonly resource: 'node' | 'asset';
  readonly title: string;
  /** Allows several choices in addition to these ids; undefined for a single choice. */
  readonly chosen: readonly string[] | undefined;
  readonly onPick: (objects: readonly PickedObject[]) => void;
  readonly onClose: () => void;
}

interface FormDialogs {
  readonly CreateDialog?: ComponentType<CreateDialogProps>;
  readonly TreePicker?: ComponentType<TreePickerProps>;
}

/*
 * Dialogs that a form can open. A provider injects them, so form controls do not import the pages
 * that draw the dialogs.
 */
const FormDialogsContext = createContext<FormDialogs>({});

export const FormDialogsProvider = FormDialogsContext.Provider;

/** Returns the dialogs that a form can open; empty without a provider. */
export const useFormDialogs = (): FormDialogs => useContext(FormDialogsContext);
