import { Anchor, SegmentedControl, Skeleton, Text } from '@mantine/core';
import type { Language } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useEffect } from 'react';
import { language, t } from '../../../kit/i18n/index.ts';
import {
  IconBolt,
  IconBook,
  IconBuilding,
  IconExternalLink,
  IconLifebuoy,
  IconServer2,
  IconSparkles,
} from '../../../kit/icons.ts';
import { HELP, outsideAddress } from '../../base/addresses.ts';
import { PageLink, useGo, useHash, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { useProfile } from '../../base/session.tsx';
import { words as frame } from '../../base/words.ts';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { GuideBlocks } from './GuideBlocks.tsx';
import { GuideSearch } from './GuideSearch.tsx';
import { type GuideDocument, plainText } from './guide-blocks.ts';
import { GUIDE_NAMES, type GuideName, type Section, sectionsOf } from './guide-search.ts';
import styles from './Help.module.css';
import { words } from './words.ts';

type Load = () => Promise<{ readonly default: GuideDocument }>;

/** Every guide in both languages, lazy-loaded. */
const GUIDES: Readonly<Record<GuideName, Readonly<Record<Language, Load>>>> = {
  user: {
    en: () => import('virtual:guide/user-guide.en'),
    zh: () => import('virtual:guide/user-guide.zh'),
  },
  operator: {
    en: () => import('virtual:guide/operator-guide.en'),
    zh: () => import('virtual:guide/operator-guide.zh'),
  },
  news: {
    en: () => import('virtual:guide/whats-new.en'),
    zh: () => import('virtual:guide/whats-new.zh'),
  },
};

/** Loads a guide in the language of the page. */
const loadGuide = async (name: GuideName): Promise<GuideDocument> =>
  (await GUIDES[name][language]()).default;

/** Loads the sections of all guides. */
async function loadSections(): Promise<readonly Section[]> {
  const parts = await Promise.all(
    GUIDE_NAMES.map(async (name) => sectionsOf(await loadGuide(name), name)),
  );
  return parts.flat();
}

interface TileProps {
  readonly icon: ComponentType<{ readonly size?: number | string }>;
  readonly title: string;
  readonly hint: string;
  readonly to?: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly href?: string;
}

function Tile({ icon: Icon, title, hint, to, search, href }: TileProps) {
  const content: ReactNode = (
    <>
      <Icon size={24} />
      <strong>{title}</strong>
      <span>{hint}</span>
    </>
  );
  if (!to) {
    return (
      <a className={styles.tile} href={href} target="_blank" rel="noopener noreferrer">
        {content}
      </a>
    );
  }
  return (
    <PageLink to={to} className={styles.tile ?? ''} underline="never" {...(search && { search })}>
      {content}
    </PageLink>
  );
}

/** The help overview: guides, API, support, and licensed features. */
export function HelpPage() {
  const guide = outsideAddress(useProfile().guide_url);
  return (
    <>
      <PageHeader />
      <div className={styles.tiles}>
        <Tile
          icon={IconBook}
          title={t(words.userGuide)}
          hint={t(words.userGuideHint)}
          to={HELP.docs}
        />
        <Tile
          icon={IconServer2}
          title={t(words.operatorGuide)}
          hint={t(words.operatorGuideHint)}
          to={HELP.docs}
          search={{ guide: 'operator' }}
        />
        <Tile
          icon={IconSparkles}
          title={t(frame.whatsNew)}
          hint={t(words.whatsNewHint)}
          to={HELP.docs}
          search={{ guide: 'news' }}
        />
        {guide && (
          <Tile
            icon={IconExternalLink}
            title={t(words.ownGuide)}
            hint={t(words.ownGuideHint)}
            href={guide}
          />
        )}
        <Tile icon={IconBolt} title={t(frame.apiDocs)} hint={t(words.apiHint)} href="/api/docs/" />
        <Tile
          icon={IconLifebuoy}
          title={t(frame.support)}
          hint={t(words.supportHint)}
          to={HELP.support}
        />
        <Tile
          icon={IconBuilding}
          title={t(frame.enterprise)}
          hint={t(words.enterpriseHint)}
          to={HELP.enterprise}
        />
      </div>
    </>
  );
}

/** A guide in the language of the page, with a list of its chapters. */
export function DocsPage() {
  const search = useSearchRecord();
  const go = useGo();
  const path = usePath();
  const name = GUIDE_NAMES.find((one) => one === search.guide) ?? 'user';
  const guide = useQuery({
    queryKey: ['guide', name, language],
    queryFn: () => loadGuide(name),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data } = guide;

  // The chapter in the address exists only after rendering; scroll to it now.
  const hash = useHash();
  useEffect(() => {
    if (data && hash) document.getElementById(hash)?.scrollIntoView();
  }, [data, hash]);

  return (
    <>
      <PageHeader title={data?.title ?? t(frame.docs)}>
        <GuideSearch load={loadSections} />
        <SegmentedControl
          size="xs"
          aria-label={t(words.guides)}
          value={name}
          onChange={(chosen) =>
            void go(path, { search: { guide: chosen === 'user' ? undefined : chosen } })
          }
          data={[
            { value: 'user', label: t(words.userGuide) },
            { value: 'operator', label: t(words.operatorGuide) },
            { value: 'news', label: t(frame.whatsNew) },
          ]}
        />
      </PageHeader>
      {guide.isError && <LoadFailed error={guide.error} onRetry={() => void guide.refetch()} />}
      {guide.isPending && <Skeleton height={480} />}
      {data && (
        <div className={styles.page}>
          <article className={styles.guide}>
            <GuideBlocks blocks={data.blocks} />
          </article>
          <nav className={styles.contents} aria-label={t(words.contents)}>
            <Text fw={600} fz="sm">
              {t(words.contents)}
            </Text>
            <ul>
              {data.blocks.map(
                (block) =>
                  block.kind === 'heading' &&
                  block.level < 3 && (
                    <li key={block.id} {...(block.level === 1 && { className: styles.task })}>
                      <Anchor href={`#${block.id}`}>{plainText(block.line)}</Anchor>
                    </li>
                  ),
              )}
            </ul>
          </nav>
        </div>
      )}
    </>
  );
}
