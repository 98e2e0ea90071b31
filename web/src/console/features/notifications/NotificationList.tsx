import { Button } from '@mantine/core';
import { notification } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { useCount } from '../../resource/useCount.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { MailTimesLine } from './MailTimesLine.tsx';
import { type News, pageOf, useMarkRead } from './notifications.ts';
import { sentenceOf } from './sentences.ts';
import { words } from './words.ts';

/** A notification as a link to its object; opening it marks it as read. */
function NewsCell({ news }: { readonly news: News }) {
  const markRead = useMarkRead();
  const page = pageOf(news);
  const text = sentenceOf(news);
  if (!page) return text;
  return (
    <PageLink
      to={page}
      fw={news.is_read ? 400 : 600}
      onClick={() => {
        if (!news.is_read) void markRead([news.id]).catch(() => undefined);
      }}
    >
      {text}
    </PageLink>
  );
}

/** Lists the notifications of the user, newest first. */
export function NotificationList() {
  const { phone } = useBreakpoints();
  const markRead = useMarkRead();
  const unread = useCount(notification, { is_read: 'false' }) ?? 0;
  return (
    <>
      <PageHeader hint={t(words.noneHint)}>
        <Button
          variant="default"
          disabled={unread === 0}
          onClick={() => void markRead().catch(() => undefined)}
        >
          {t(words.markAll)}
        </Button>
      </PageHeader>
      <MailTimesLine />
      <ResourceList<News>
        source={notification}
        hasImport={false}
        hasExport={false}
        link={() => undefined}
        columns={[
          { name: 'subject', essential: true, cell: (news) => <NewsCell news={news} /> },
          { name: 'kind', width: 170, hidden: phone },
          // Unread ones are bold.
          { name: 'is_read', width: 100, hidden: true },
          { name: 'date_created', width: 170 },
        ]}
        emptyTitle={t(words.none)}
        emptyHint={t(words.noneHint)}
      />
    </>
  );
}
