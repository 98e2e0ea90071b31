import { Button, Text } from '@mantine/core';
import {
  CHANGE_SET,
  type GrantedAccess,
  parseDatetime,
  type Row,
  type SecondDecision,
  type TicketRequest,
  type ticket,
} from '@sallyport/contract';
import { useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { askFirst } from '../../../../kit/dialogs/confirm.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { formatDate } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../../kit/lazy-component.tsx';
import { PageLink } from '../../../base/navigation.tsx';
import { useSession } from '../../../base/session.tsx';
import { Moment, useMinute } from '../../../resource/list/table/Moment.tsx';
import { byVerdict } from '../../../resource/verdict.ts';
import { useTicketRequest } from '../request/about.ts';
import { words as requestWords } from '../request/words.ts';
import { words as ticketWords } from '../words.ts';
import styles from './Decision.module.css';
import { asRequested, missing, REQUESTS, requestSentence } from './decisions.ts';
import { mayDecide, useAnswers } from './useAnswers.ts';
import { WaitingFacts } from './WaitingFacts.tsx';
import { words } from './words.ts';

const ChangesDialog = lazyComponent(() =>
  import('./ChangesDialog.tsx').then((module) => module.ChangesDialog),
);

type Ticket = Row<typeof ticket>;

/** The access that the approval opened, and its early end. */
function InForce({ row, granted }: { readonly row: Ticket; readonly granted: GrantedAccess }) {
  const now = useMinute();
  const { refresh } = useAnswers();
  const [start, end] = [granted.date_start, granted.date_expired].map(
    (date) => parseDatetime(date)?.getTime() ?? 0,
  );
  if (!granted.is_active || (end ?? 0) <= now.getTime())
    return <p className={styles.result}>{t(words.isOver)}</p>;
  const list = new Intl.ListFormat(t(words.locale));
  const about = {
    who: row.user_display,
    things: list.format(granted.things),
    accounts: list.format(granted.accounts),
    from: formatDate(granted.date_start).slice(0, 16),
    until: formatDate(granted.date_expired).slice(0, 16),
  };
  return (
    <div className={styles.result} data-active>
      <span>{t((start ?? 0) > now.getTime() ? words.begins : words.inForce, about)}</span>
      {granted.can_end && (
        <Button
          size="compact-sm"
          h={26}
          variant="light"
          color="red"
          onClick={() =>
            askFirst({
              title: t(words.endTitle),
              message: t(words.endQuestion, { who: row.user_display }),
              confirm: t(words.endNow),
              danger: true,
              run: async () => {
                await api.post(`${REQUESTS}${row.id}/end/`, {});
                await refresh();
              },
              success: t(words.ended),
            })
          }
        >
          {t(words.endNow)}
        </Button>
      )}
    </div>
  );
}

/** The first approval of a request, and the decision that it waits for. */
function Waits({ waits }: { readonly waits: SecondDecision }) {
  const { by, date_created: date, date_expires: until, change_set: changeSet } = waits;
  return (
    <div className={styles.result}>
      <span>
        {t(words.waits, {
          who: by,
          date: formatDate(date).slice(0, 16),
          until: formatDate(until).slice(0, 16),
        })}
      </span>
      {changeSet && (
        <PageLink to={`/${CHANGE_SET.path}/${changeSet}`}>{t(words.openChangeSet)}</PageLink>
      )}
    </div>
  );
}

interface BarProps {
  readonly row: Ticket;
  readonly about: TicketRequest | undefined;
}

/** The buttons of a decision: at the top of the page, and at the bottom of a phone. */
function DecisionBar({ row, about }: BarProps) {
  const { grant, accept, askToReject } = useAnswers();
  const [busy, setBusy] = useState(false);
  const [changing, setChanging] = useState(false);
  const { request, suggestion, waits } = about ?? { request: null, suggestion: null, waits: null };
  if (request && !suggestion) {
    return (
      <Text fz="sm" c="dimmed">
        {t(requestWords.elsewhere, { name: request.org_name })}
      </Text>
    );
  }
  const decision = request && suggestion && asRequested(request, suggestion);
  const obstacle = decision ? missing(request, decision) : undefined;
  const approve = async () => {
    setBusy(true);
    try {
      if (decision) await grant(request, decision);
      else {
        await accept(row);
        toast.success(t(words.approved));
      }
    } catch {
      // The request layer shows the error.
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className={styles.bar} aria-label={t(words.decision)}>
      {obstacle && !waits && (
        <Text fz="sm" c="dimmed">
          {obstacle}
        </Text>
      )}
      <div className={styles.buttons}>
        {!waits && (
          <Button loading={busy} {...byVerdict(obstacle ?? true, () => void approve())}>
            {t(words.approve)}
          </Button>
        )}
        {decision && !waits && (
          <Button
            variant={obstacle ? 'filled' : 'default'}
            disabled={busy}
            onClick={() => setChanging(true)}
          >
            {t(words.change)}
          </Button>
        )}
        <Button variant="light" color="red" disabled={busy} onClick={() => askToReject(row)}>
          {t(words.reject)}
        </Button>
      </div>
      {changing && request && suggestion && (
        <ChangesDialog
          request={request}
          suggestion={suggestion}
          onClose={() => setChanging(false)}
          onApprove={async (changed) => {
            await grant(request, changed);
            setChanging(false);
          }}
        />
      )}
    </section>
  );
}

/** Shows the request and reason of a ticket, its decision, and the resulting access. */
export function TicketLead({ row }: { readonly row: Ticket }) {
  const { profile } = useSession();
  const { data, isPending } = useTicketRequest(row.id);
  const decides = mayDecide(row, profile.id);
  const isClosed = row.status === 'closed';
  return (
    <section
      className={styles.lead}
      aria-label={row.title}
      data-decides={decides || undefined}
      data-pending={(isPending && !isClosed) || undefined}
    >
      {data?.request && (
        <p className={styles.sentence}>{requestSentence(data.request, data.suggestion)}</p>
      )}
      {data?.facts ? (
        <WaitingFacts
          row={row}
          facts={data.facts}
          isReviewer={row.assignees.includes(profile.id)}
        />
      ) : (
        !isPending && <blockquote className={styles.quote}>{row.body}</blockquote>
      )}
      <Text fz="sm" c="dimmed" component="div">
        {row.user_display} · {row.type_display} · <Moment date={row.date_created} />
        {!isClosed &&
          row.stages > 1 &&
          ` · ${t(words.stageOf, { stage: row.stage, stages: row.stages })}`}
        {!isClosed && ` · ${t(words.assignedTo, { names: row.assignees_display })}`}
      </Text>
      {row.stages > 1 && row.decisions_display && (
        <Text fz="sm">{t(words.stageDecisions, { decisions: row.decisions_display })}</Text>
      )}
      {isClosed && (
        <Text fz="sm" fw={500}>
          {t(row.closed_by ? ticketWords.ended : ticketWords.isClosed, {
            who: row.closed_by,
            how: row.action ? row.action_display : t(ticketWords.closed),
          })}
        </Text>
      )}
      {data?.waits && <Waits waits={data.waits} />}
      {data?.granted && <InForce row={row} granted={data.granted} />}
      {!isClosed && row.user === profile.id && row.assignees.includes(profile.id) && (
        <Text fz="sm" c="dimmed">
          {t(ticketWords.own)}
        </Text>
      )}
      {decides && data && <DecisionBar row={row} about={data} />}
    </section>
  );
}
