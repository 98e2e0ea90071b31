import { platform, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { DetailPage, factsTab } from '../../resource/detail/DetailPage.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { words } from './words.ts';

type Platform = Row<typeof platform>;

// Internal platforms are read-only: assets and the terminal rely on them.
const mayChange = ({ internal }: Platform) => !internal || t(words.internalPlatform);
const FLAGS = { hasDelete: true, canUpdate: mayChange, canDelete: mayChange };
const PLAIN = {
  hasSearch: false,
  hasRefresh: false,
  hasBulkDelete: false,
  hasImport: false,
  hasExport: false,
};

export function PlatformList() {
  return (
    <>
      <PageHeader />
      <ResourceList<Platform>
        source={platform}
        columns={[{ name: 'name' }, { name: 'base', width: 120 }, { name: 'comment' }]}
        {...FLAGS}
        {...PLAIN}
      />
    </>
  );
}

// Only Windows has remote desktop settings.
const isOther = ({ base }: FormValues) => base !== 'Windows';

export function PlatformForm() {
  return (
    <FormPage
      source={platform}
      groups={[
        { title: words.basic, fields: ['name', 'base', 'charset', 'old_ssh', 'meta', 'comment'] },
      ]}
      overrides={{ meta: { hidden: isOther } }}
      toBody={(body, values) => (isOther(values) ? { ...body, meta: null } : body)}
    />
  );
}

export function PlatformDetail() {
  return (
    <DetailPage<Platform>
      source={platform}
      {...FLAGS}
      tabs={(object) => [
        factsTab(platform, object, ['name', 'base', 'charset', 'old_ssh', 'meta', 'comment']),
      ]}
    />
  );
}
