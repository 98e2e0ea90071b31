import { Badge, Button } from '@mantine/core';
import type { SessionGuest } from '@sallyport/contract';
import { t } from '../../kit/i18n/index.ts';
import { IconEye, IconKeyboard } from '../icons.ts';
import styles from './Invite.module.css';
import { allowTyping, endInvitation } from './invitations.ts';
import { words } from './words.ts';

/** The guests in the session, who of them may type, and the owner's actions. */
export function GuestBar({
  session,
  guests,
}: {
  readonly session: string;
  readonly guests: readonly SessionGuest[];
}) {
  return (
    <section className={styles.bar} aria-label={t(words.guests)}>
      <ul>
        {guests.map(({ invitation, name, types, typing }) => (
          <li key={invitation} data-typing={typing || undefined}>
            {types ? (
              <IconKeyboard size={14} aria-hidden="true" />
            ) : (
              <IconEye size={14} aria-hidden="true" />
            )}
            <span className={styles.name}>{name}</span>
            <Badge
              size="sm"
              variant="light"
              color={types ? 'red' : 'gray'}
              {...(typing && { className: styles.typing })}
            >
              {t(typing ? words.typing : types ? words.mayType : words.watches)}
            </Badge>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={t(types ? words.takeTypingNamed : words.giveTypingNamed, { name })}
              onClick={() => void allowTyping(session, invitation, !types)}
            >
              {t(types ? words.takeTyping : words.giveTyping)}
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={t(words.endNamed, { name })}
              onClick={() => void endInvitation(session, invitation)}
            >
              {t(words.end)}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
