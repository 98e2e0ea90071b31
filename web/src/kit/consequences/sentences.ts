import type { Consequence, Consequences, ConsequencesQuestion } from '@sallyport/contract';
import { t } from '../i18n/index.ts';
import { SENTENCES, words } from './words.ts';

/** A sentence about a consequence, with the first few names. */
export interface ConsequenceLine {
  readonly key: string;
  readonly text: string;
  readonly names: string;
  readonly blocks: boolean;
}

/** Joins the first names, with an ellipsis if there are more. */
export function namesOf({ count, names }: Pick<Consequence, 'count' | 'names'>): string {
  const list = names.join(', ');
  return names.length > 0 && count > names.length ? t(words.more, { names: list }) : list;
}

const ACCESS = ['sign_ins_ended', 'sessions_cut', 'keys_refused'] as const;

/** Describes the consequences in sentences; the end of a user's access is one of them. */
export function linesOf(
  { action, resource }: Pick<ConsequencesQuestion, 'action' | 'resource'>,
  { consequences }: Consequences,
): ConsequenceLine[] {
  const isOfAccess = ({ kind }: Consequence) => (ACCESS as readonly string[]).includes(kind);
  const joins = action === 'disable' && resource === 'user' && consequences.some(isOfAccess);
  const countOf = (wanted: string) => consequences.find(({ kind }) => kind === wanted)?.count ?? 0;
  const sessions = consequences.find(({ kind }) => kind === 'sessions_cut');
  return [
    ...(joins
      ? [
          {
            key: 'access',
            text: t(words.endsAccess, {
              signIns: countOf('sign_ins_ended'),
              sessions: countOf('sessions_cut'),
              keys: countOf('keys_refused'),
            }),
            names: sessions ? namesOf(sessions) : '',
            blocks: false,
          },
        ]
      : []),
    ...consequences
      .filter((one) => !(joins && isOfAccess(one)))
      .map((one) => ({
        key: one.kind,
        text: t(SENTENCES[one.kind], { count: one.count }),
        names: namesOf(one),
        blocks: one.blocks,
      })),
  ];
}
