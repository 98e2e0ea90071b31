import { Button, Text } from '@mantine/core';
import type { ReviewDeputies } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { formatDate } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { Card } from '../../../resource/detail/Cards.tsx';
import styles from '../../../resource/detail/Rows.module.css';
import { words } from './words.ts';

interface LineProps {
  readonly text: string;
  readonly row: { readonly date_start: string; readonly date_end: string };
  readonly onEnd?: () => void;
}

function Line({ text, row, onEnd }: LineProps) {
  return (
    <div className={styles.row}>
      <div className={styles.what}>
        <Text component="span" fw={500}>
          {text}
        </Text>
        <Text fz="xs" c="dimmed">
          {t(words.period, { start: formatDate(row.date_start), end: formatDate(row.date_end) })}
        </Text>
      </div>
      {onEnd && (
        <Button variant="default" size="xs" onClick={onEnd}>
          {t(words.end)}
        </Button>
      )}
    </div>
  );
}

interface DeputiesProps {
  readonly url: string;
  /** Ends the deputyship for the user. */
  readonly onEnd?: () => void;
}

/** The deputy of a user, and the reviewers whose deputy the user is. Nothing without any. */
export function DeputiesCard({ url, onEnd }: DeputiesProps) {
  const { data } = useQuery({
    queryKey: ['deputies', url],
    queryFn: ({ signal }) => api.get<ReviewDeputies>(url, { signal }),
  });
  if (!data || (data.own === null && data.others.length === 0)) return null;
  return (
    <Card title={t(words.title)}>
      {data.own && (
        <Line
          text={t(words.own, { name: data.own.deputy_display })}
          row={data.own}
          {...(onEnd && { onEnd })}
        />
      )}
      {data.others.map((row) => (
        <Line key={row.user} text={t(words.other, { name: row.user_display })} row={row} />
      ))}
    </Card>
  );
}
