import { ActionIcon, Button, Menu, Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { allows, Permission } from '@sallyport/contract';
import { type ReactNode, useEffect } from 'react';
import { ApiError } from '../../../kit/api.ts';
import { plannedFor } from '../../../kit/consequences/useConsequences.ts';
import { askToDelete } from '../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconDots } from '../../../kit/icons.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { setDocumentTitle } from '../../../kit/page/brand.ts';
import {
  onApproach,
  useGo,
  useGoButton,
  useLoadAhead,
  useObjectId,
  usePath,
} from '../../base/navigation.tsx';
import { pagesOf, usePages } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { nameTab } from '../../base/tabs/store.ts';
import { LIKE } from '../form/copied.ts';
import { EmptyState } from '../list/EmptyState.tsx';
import listStyles from '../list/List.module.css';
import { LoadFailed } from '../list/ListStates.tsx';
import { words as listWords } from '../list/words.ts';
import { PageHeader, useScreenTitle } from '../PageHeader.tsx';
import { nameIn, type Source } from '../source.ts';
import type { TabGroup, TabSpec } from '../TabbedPage.tsx';
import { useReadOnly } from '../useReadOnly.ts';
import { byVerdict, type Verdict } from '../verdict.ts';
import { DetailCard, type Fact } from './Cards.tsx';
import styles from './Detail.module.css';
import { detailTitle, type ResourceDetailModel, useResourceDetail } from './useResourceDetail.ts';
import { words } from './words.ts';

const TabbedPage = lazyComponent(
  () => import('../TabbedPage.tsx').then((module) => module.TabbedPage),
  <Skeleton height={240} />,
);

const Activity = lazyComponent(() => import('./Changes.tsx').then((module) => module.Activity));

export interface DetailPageProps<T> {
  readonly source: Source;
  readonly canUpdate?: (object: T) => Verdict;
  readonly canDelete?: (object: T) => Verdict;
  readonly hasDelete?: boolean;
  readonly nameOf?: (object: T) => string;
  readonly refetchEvery?: number;
  /** Buttons of the object, before the buttons of every page. */
  readonly buttons?: (object: T) => ReactNode;
  /** Content above the tabs. */
  readonly lead?: (object: T) => ReactNode;
  readonly tabs: (object: T, detail: ResourceDetailModel<T>) => readonly (TabSpec | TabGroup)[];
  /** Sections before the change history, in one tab with it. */
  readonly past?: (object: T) => readonly TabSpec[];
  /** False hides the tab with the change history. */
  readonly hasActivity?: boolean;
}

/**
 * Two columns: facts on the left, actions on the right. One column without actions. A narrow window
 * shows the right column below, or with `rightFirst` above.
 */
export function DetailColumns({
  left,
  right,
  rightFirst = false,
}: {
  readonly left: ReactNode;
  readonly right?: ReactNode;
  readonly rightFirst?: boolean;
}) {
  return (
    <div className={styles.columns} data-single={right === undefined}>
      <div className={styles.side}>{left}</div>
      {right !== undefined && (
        <div className={`${styles.side} ${rightFirst ? styles.first : ''}`}>{right}</div>
      )}
    </div>
  );
}

/** Returns the first tab of an object that has only facts. */
export const factsTab = <T extends object>(
  source: Source,
  object: T,
  facts: readonly Fact<T>[],
): TabSpec => ({
  name: 'Detail',
  label: t(words.overview),
  render: () => (
    <DetailColumns left={<DetailCard source={source} object={object} facts={facts} />} />
  ),
});

/** Props of a button that does something, or false for none. */
type Doing = ReturnType<typeof byVerdict | ReturnType<typeof useGoButton>> | false;

interface ObjectButtonsProps {
  readonly like: Doing;
  readonly update: Doing;
  readonly remove: Doing;
}

/** The buttons of every object. A phone shows the edit button, and the others in a menu. */
function ObjectButtons({ like, update, remove }: ObjectButtonsProps) {
  const phone = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false });
  const edit = update && (
    <Button variant="default" {...update}>
      {t(common.update)}
    </Button>
  );
  if (phone && (like || remove))
    return (
      <>
        {edit}
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label={t(common.more)}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {like && <Menu.Item {...like}>{t(listWords.createLike)}</Menu.Item>}
            {remove && (
              <Menu.Item color="red" {...remove}>
                {t(common.delete)}
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      </>
    );
  return (
    <>
      {like && (
        <Button variant="default" {...like}>
          {t(listWords.createLike)}
        </Button>
      )}
      {edit}
      {remove && (
        <Button variant="outline" color="red" {...remove}>
          {t(common.delete)}
        </Button>
      )}
    </>
  );
}

const none = () => [];

/** The generic detail page: back button, name, update and delete buttons, and tabs. */
export function DetailPage<T extends object>({
  source,
  canUpdate,
  canDelete,
  hasDelete = false,
  nameOf,
  refetchEvery,
  buttons,
  lead,
  tabs,
  past = none,
  hasActivity = true,
}: DetailPageProps<T>) {
  const id = useObjectId();
  const go = useGo();
  const goButton = useGoButton();
  const loadAhead = useLoadAhead();
  const path = usePath();
  const screenTitle = useScreenTitle();
  const { role } = useSession();
  const { create, update } = usePages(source.name);
  const detail = useResourceDetail<T>(source, id, refetchEvery);
  const readOnly = useReadOnly(source.access?.update);
  const { object } = detail;
  const name = object ? (nameOf?.(object) ?? nameIn(source, object)) : '';
  const title = detailTitle(screenTitle, name);

  useEffect(() => {
    // During navigation the address already belongs to the next page while this page is still
    // drawn.
    if (!name || !path.endsWith(`/${id}`)) return;
    nameTab(path, name);
    setDocumentTitle(title);
  }, [path, id, name, title]);

  if (!object) {
    return <WithoutObject source={source} detail={detail} title={title} />;
  }

  const canSeeChanges = hasActivity && source.audited && allows(role.current, Permission.AUDIT);
  const sections = past(object);
  const changes: TabSpec = {
    name: 'Activity',
    label: t(sections.length > 0 ? words.changes : words.activity),
    render: () => <Activity source={source} id={id} />,
  };
  const pastTabs = historyTabs(sections, canSeeChanges ? [changes] : []);

  return (
    <>
      <PageHeader title={title} onBack={() => history.back()}>
        {buttons?.(object)}
        <ObjectButtons
          like={
            create !== undefined &&
            source.copyWithout !== undefined &&
            goButton(create, { search: { [LIKE]: id } })
          }
          update={
            update === undefined
              ? readOnly !== undefined && byVerdict(readOnly, () => undefined)
              : {
                  ...onApproach(() => loadAhead(update(id))),
                  ...byVerdict(canUpdate?.(object) ?? true, () => void go(update(id))),
                }
          }
          remove={
            hasDelete &&
            byVerdict(readOnly ?? canDelete?.(object) ?? true, () =>
              askToDelete(
                name,
                () => detail.remove(async () => go(pagesOf(source.name).list, { replace: true })),
                plannedFor(source, 'delete', [id]),
                { isReported: true },
              ),
            )
          }
        />
      </PageHeader>

      {lead?.(object)}
      <TabbedPage tabs={[...tabs(object, detail), ...pastTabs]} />
    </>
  );
}

/** Returns one tab with all sections and the change history, or only the history. */
const historyTabs = (
  sections: readonly TabSpec[],
  changes: readonly TabSpec[],
): readonly (TabSpec | TabGroup)[] =>
  sections.length > 0
    ? [{ name: 'History', label: t(words.history), sections: [...sections, ...changes] }]
    : changes;

interface WithoutObjectProps<T> {
  readonly source: Source;
  readonly detail: ResourceDetailModel<T>;
  readonly title: string;
}

/** The page of an object that is loading, was deleted or cannot be read. */
function WithoutObject<T>({ source, detail, title }: WithoutObjectProps<T>) {
  const goButton = useGoButton();
  const { error } = detail;
  const lost = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHeader title={title} onBack={() => history.back()} />
      <div className={listStyles.card}>
        {detail.loading && <Skeleton height={240} />}
        {lost && (
          <EmptyState
            title={t(words.resourceLost)}
            action={<Button {...goButton(pagesOf(source.name).list)}>{t(common.back)}</Button>}
          />
        )}
        {error && !lost && <LoadFailed error={error} onRetry={() => void detail.refresh()} />}
      </div>
    </>
  );
}
