import { t } from '../../../kit/i18n/index.ts';
import { askToLock, askToUnlock, askToWrite } from '../../../kit/interventions/interventions.ts';
import { words as interventions } from '../../../kit/interventions/words.ts';
import type { QuickAction } from '../../resource/detail/Cards.tsx';
import type { Session } from './session-actions.ts';
import { words } from './words.ts';

/** The actions of an administrator in a live session, apart from its end. */
export const interventionsIn = (row: Session, refresh: () => Promise<void>): QuickAction[] => [
  {
    key: 'message',
    title: t(words.messageUser),
    button: t(interventions.message),
    run: () => askToWrite(row),
  },
  {
    key: 'lock',
    title: t(row.kind === 'desktop' ? interventions.desktop : words.lockSession),
    button: t(row.locked_by === null ? interventions.lock : interventions.unlock),
    disabled: row.kind === 'desktop',
    run: () => (row.locked_by === null ? askToLock(row, refresh) : askToUnlock(row, refresh)),
  },
];
