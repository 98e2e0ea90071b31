import type { ConsequencesQuestion } from '@sallyport/contract';
import type { ReactNode } from 'react';

/** A question with two answers. `onClose` runs if the user leaves without confirming. */
export interface Question {
  readonly title: string;
  readonly message: ReactNode;
  readonly confirm: string;
  /** An irreversible change: the button is red. */
  readonly danger?: boolean;
  readonly onConfirm: () => void;
  /** Replaces Cancel by a second answer; closing the dialog then cancels. */
  readonly other?: { readonly label: string; readonly run: () => void };
  readonly onClose?: () => void;
}

/** A confirmed action while it runs. */
export interface ConfirmedWork {
  /** Aborts when the user stops the action. */
  readonly signal: AbortSignal;
  /** Shows how far the action is. */
  report(progress: string): void;
}

/** A confirmation before an action. */
export interface Confirmation {
  readonly title?: string;
  readonly message: string;
  /** The action as a verb: label of the button and, by default, the title. */
  readonly confirm: string;
  /** An irreversible change: the button is red. */
  readonly danger?: boolean;
  /** The server computes these consequences; the dialog shows them before the user can confirm. */
  readonly consequences?: ConsequencesQuestion;
  /** A text field whose value is passed to `run`. */
  readonly note?: {
    readonly label: string;
    readonly hint: string;
    readonly max: number;
    readonly isRequired?: boolean;
  };
  /** A checkbox for an additional action, whose consequences replace the others while ticked. */
  readonly also?: {
    readonly label: string;
    readonly consequences?: ConsequencesQuestion;
    readonly run?: () => Promise<unknown>;
  };
  /** Runs the action; receives the text of the note, and whether the checkbox is ticked. */
  readonly run: (note: string, isTicked: boolean, work: ConfirmedWork) => Promise<unknown>;
  /** The user may stop the action while it runs. */
  readonly canStop?: boolean;
  /** Runs if the user leaves without confirming. */
  readonly onCancel?: () => void;
  readonly success?: string;
  /** The sentence before the reason of a failure. */
  readonly failure?: string;
}
