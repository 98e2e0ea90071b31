import { type DatabaseServerMessage, type Language, say } from '@sallyport/contract';
import { plainText } from '../table.ts';
import { words } from './words.ts';

/** Messages of a run that the prompt draws at its end. */
export type Answer = Extract<
  DatabaseServerMessage,
  { readonly type: 'answered' | 'failed' | 'undo' }
>;

export const isAnswer = (message: DatabaseServerMessage): message is Answer =>
  message.type === 'answered' || message.type === 'failed' || message.type === 'undo';

/** Says that an undo script was kept, or why not. */
export const undoLine = (
  { rows, message }: Extract<Answer, { readonly type: 'undo' }>,
  language: Language,
): string => plainText(message ?? say(words.undoKept, language, { rows }));
