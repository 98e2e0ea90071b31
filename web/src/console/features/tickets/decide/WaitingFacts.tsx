import { Anchor, Text } from '@mantine/core';
import type {
  ConnectionFacts,
  HeldCommandFacts,
  Row,
  TicketFacts,
  ticket,
} from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { watchAddress } from '../../../base/addresses.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import styles from './Decision.module.css';
import { words } from './words.ts';

type Ticket = Row<typeof ticket>;

/** Scrolls to the end, where the line was typed. The same function each time: it runs once. */
function showEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight;
}

/** The command, and the session in which its line waits. */
function Command({
  row,
  facts: { text, rule, session, asset, account, screen },
  isReviewer,
}: {
  readonly row: Ticket;
  readonly facts: HeldCommandFacts;
  readonly isReviewer: boolean;
}) {
  return (
    <>
      <p className={styles.sentence}>
        {t(words.wantsCommand, { who: row.user_display, asset, account })}
      </p>
      <pre className={styles.command}>{text}</pre>
      {rule !== '' && <p className={styles.rule}>{rule}</p>}
      {screen && (
        <>
          <Text fz="sm" c="dimmed">
            {t(words.screen)}
          </Text>
          <section
            ref={showEnd}
            className={styles.screen}
            aria-label={t(words.screen)}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            tabIndex={0}
          >
            <pre translate="no">{screen}</pre>
          </section>
        </>
      )}
      {isReviewer && (
        <div className={styles.links}>
          {row.status === 'open' && (
            <Anchor href={watchAddress(session)} target="_blank" rel="noopener">
              {t(words.watch)}
            </Anchor>
          )}
          <PageLink to={pagesOf('session').detail(session)}>{t(words.session)}</PageLink>
        </div>
      )}
    </>
  );
}

function Connection({
  row,
  facts: { target, account, address, minutes, reason },
}: {
  readonly row: Ticket;
  readonly facts: ConnectionFacts;
}) {
  return (
    <>
      <p className={styles.sentence}>
        {t(words.wantsConnection, { who: row.user_display, target, account })}
      </p>
      {reason && <blockquote className={styles.quote}>{reason}</blockquote>}
      <Text fz="sm" c="dimmed">
        {!reason && `${t(words.noReason)} · `}
        {address && `${t(words.from, { address })} · `}
        {t(minutes === 0 ? words.once : words.validFor, { minutes })}
      </Text>
    </>
  );
}

/** Shows the command or connection that waits for the answer, and the end of the wait. */
export function WaitingFacts({
  row,
  facts,
  isReviewer,
}: {
  readonly row: Ticket;
  readonly facts: TicketFacts;
  readonly isReviewer: boolean;
}) {
  return (
    <>
      {facts.kind === 'connection' ? (
        <Connection row={row} facts={facts} />
      ) : (
        <Command row={row} facts={facts} isReviewer={isReviewer} />
      )}
      {row.status === 'open' && (
        <Text fz="sm" c="dimmed">
          {t(words.waitsUntil)} <Moment date={facts.until} exact />
        </Text>
      )}
    </>
  );
}
