import { type ComponentType, createContext, useContext } from 'react';
import type { FormValues } from './form-state.ts';

export interface CreateDialogProps {
  readonly resource: string;
  readonly initial?: FormValues;
  readonly onSaved?: (saved: unknown) => void;
  readonly onClose: () => void;
}

/** An object that was chosen in the tree, with what a question about it needs. */
export interface PickedObject {
  readonly id: string;
  readonly key?: string;
  readonly assets_amount?: number;
}

export interface TreePickerProps {
  readonly resource: 'node' | 'asset';
  readonly title: string;
  /** Several can be chosen, in addition to these. */
  readonly chosen: readonly string[] | undefined;
  readonly onPick: (objects: readonly PickedObject[]) => void;
  readonly onClose: () => void;
}

interface FormDialogs {
  /** Creates an object from inside a form. */
  readonly CreateDialog?: ComponentType<CreateDialogProps>;
  /** Chooses nodes and assets in the tree. */
  readonly TreePicker?: ComponentType<TreePickerProps>;
}

/*
 * A form can open a dialog that holds a form or a list. The dialogs are handed in from above, so that the controls of a form do not import the
 * pages that draw them.
 */
const FormDialogsContext = createContext<FormDialogs>({});

export const FormDialogsProvider = FormDialogsContext.Provider;

/** The dialogs that a form can open; none where they are not offered. */
export const useFormDialogs = (): FormDialogs => useContext(FormDialogsContext);
