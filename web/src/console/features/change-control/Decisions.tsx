import { Button } from '@mantine/core';
import { type ChangeSetDetail, CONTROLLED_BY_DEFAULT } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { useGo } from '../../base/navigation.tsx';
import { useFreshFactor } from '../mfa/index.ts';
import {
  act,
  canUndo,
  detailPath,
  isUnreviewed,
  MOST_REASON,
  plannedTime,
  URL,
} from './change-sets.ts';
import { words } from './words.ts';

const postTo =
  ({ id }: ChangeSetDetail) =>
  (name: string, body: object = {}) =>
    api.post<ChangeSetDetail>(`${URL}${id}/${name}/`, body, { quiet: true });

const OF_INSTALLATION: readonly string[] = CONTROLLED_BY_DEFAULT;

/** Asks for a fresh proof of the identity before changes of the installation, as forms do. */
function useAgreement(set: ChangeSetDetail) {
  const { proveFresh, question } = useFreshFactor();
  const agree = async () =>
    !set.changes.some(({ resource }) => OF_INSTALLATION.includes(resource)) || (await proveFresh());
  return { agree, question };
}

/** The buttons of a user who can withdraw a change set. */
function OwnDecisions({ set }: { readonly set: ChangeSetDetail }) {
  const client = useQueryClient();
  const post = postTo(set);
  const { agree, question } = useAgreement(set);
  return (
    <>
      {set.can_break_glass && (
        <Button
          variant="outline"
          color="red"
          onClick={async () => {
            if (!(await agree())) return;
            askFirst({
              message: t(words.breakGlassQuestion),
              confirm: t(words.applyNow),
              danger: true,
              note: {
                label: t(words.why),
                hint: t(words.whyHint),
                max: MOST_REASON,
                isRequired: true,
              },
              run: (comment) =>
                act(client, () => post('break-glass', { comment }), {
                  success: words.approved,
                  failure: words.notApproved,
                }),
            });
          }}
        >
          {t(words.breakGlass)}
        </Button>
      )}
      <Button
        variant="outline"
        color="red"
        onClick={() =>
          askFirst({
            message: t(words.withdrawQuestion),
            confirm: t(words.withdraw),
            danger: true,
            run: () =>
              act(client, () => post('withdraw'), {
                success: words.wasWithdrawn,
                failure: words.notWithdrawn,
              }),
          })
        }
      >
        {t(words.withdraw)}
      </Button>
      {question}
    </>
  );
}

/** The buttons of a change set: decide, withdraw, or propose the inverse. */
export function Decisions({ set }: { readonly set: ChangeSetDetail }) {
  const client = useQueryClient();
  const go = useGo();
  const post = postTo(set);
  const { agree, question } = useAgreement(set);
  const time = plannedTime(set);
  const note = { label: t(words.comment), hint: t(words.commentHint), max: MOST_REASON };

  const undo = canUndo(set) && (
    <Button
      variant="default"
      onClick={async () => {
        if (!(await agree())) return;
        askFirst({
          message: t(words.undoQuestion),
          confirm: t(words.undo),
          run: async () => {
            const inverse = await act(client, () => post('undo'), {
              success: words.undoProposed,
              failure: words.notProposed,
            });
            if (inverse) await go(detailPath(inverse.id));
          },
        });
      }}
    >
      {t(words.undo)}
    </Button>
  );
  const reviewing = isUnreviewed(set) && !set.is_own && (
    <Button
      onClick={() =>
        askFirst({
          message: t(words.reviewQuestion),
          confirm: t(words.review),
          note,
          run: (comment) =>
            act(client, () => post('review', { comment }), {
              success: words.wasReviewed,
              failure: words.notReviewed,
            }),
        })
      }
    >
      {t(words.review)}
    </Button>
  );
  if (undo || reviewing)
    return (
      <>
        {undo}
        {reviewing}
        {question}
      </>
    );
  if (set.is_requester) return null;
  if (set.can_withdraw) return <OwnDecisions set={set} />;
  if (set.state !== 'proposed') return null;
  return (
    <>
      <Button
        variant="outline"
        color="red"
        onClick={() =>
          askFirst({
            message: t(words.rejectQuestion),
            confirm: t(words.reject),
            danger: true,
            note,
            run: (comment) =>
              act(client, () => post('reject', { comment }), {
                success: words.wasRejected,
                failure: words.notRejected,
              }),
          })
        }
      >
        {t(words.reject)}
      </Button>
      <Button
        onClick={async () => {
          if (!(await agree())) return;
          askFirst({
            message: time
              ? t(words.approveForTime, { date: formatDate(time) })
              : t(words.approveQuestion),
            confirm: t(words.approve),
            note,
            run: (comment) =>
              act(client, () => post('approve', { comment }), {
                success: time ? words.approvedForTime : words.approved,
                failure: words.notApproved,
              }),
          });
        }}
      >
        {t(words.approve)}
      </Button>
      {question}
    </>
  );
}
