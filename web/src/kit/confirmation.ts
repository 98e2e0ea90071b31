import type { ConsequencesQuestion } from '@sallyport/contract';
import type { ReactNode } from 'react';

/** A question with two answers. `onClose` is called when it is left without a yes. */
export interface Question {
  readonly title: string;
  readonly message: ReactNode;
  readonly confirm: string;
  /** A change that cannot be taken back: the button is red. */
  readonly danger?: boolean;
  readonly onConfirm: () => void;
  /** A second answer, in the place of Cancel; closing the dialog then cancels. */
  readonly other?: { readonly label: string; readonly run: () => void };
  readonly onClose?: () => void;
}

/** A question that is asked before something is done. */
export interface Confirmation {
  readonly title?: string;
  readonly message: string;
  /** The act, as a verb: the button, and the title unless there is one. */
  readonly confirm: string;
  /** A change that cannot be taken back: the button is red. */
  readonly danger?: boolean;
  /** The server is asked what follows, and the dialog shows it before the answer is possible. */
  readonly consequences?: ConsequencesQuestion;
  /** A text that goes along with the yes. */
  readonly note?: { readonly label: string; readonly hint: string; readonly max: number };
  /** What can be done along with it; what follows from that is shown instead once it is chosen. */
  readonly also?: {
    readonly label: string;
    readonly consequences: ConsequencesQuestion;
    readonly run: () => Promise<unknown>;
  };
  /** Does it; gets the text of the note. */
  readonly run: (note: string) => Promise<unknown>;
  /** Called when it is left without a yes. */
  readonly onCancel?: () => void;
  readonly success?: string;
  /** The sentence before the cause when it fails. */
  readonly failure?: string;
}
