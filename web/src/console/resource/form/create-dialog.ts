import { type ComponentType, createContext, useContext } from 'react';
import type { FormValues } from './form-state.ts';

export interface CreateDialogProps {
  readonly resource: string;
  readonly initial?: FormValues;
  readonly onSaved?: (saved: unknown) => void;
  readonly onClose: () => void;
}

/*
 * A form can open a dialog that holds a form. The dialog is handed in from above, so that the controls of a form do not import the form
 * that draws them.
 */
const CreateDialogContext = createContext<ComponentType<CreateDialogProps> | undefined>(undefined);

export const CreateDialogProvider = CreateDialogContext.Provider;

/** The dialog that creates an object from inside a form; undefined where none is offered. */
export function useCreateDialog(): ComponentType<CreateDialogProps> | undefined {
  return useContext(CreateDialogContext);
}
