import { asset, platform, say } from '@sallyport/contract';
import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { common, t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { FormPage } from './FormPage.tsx';
import { moreOptions } from './more-options.ts';
import { words } from './words.ts';

const PLATFORM_GROUPS = [
  { title: common.basicInfo, fields: ['name', 'base', 'charset', 'comment'] },
] as const;
const ASSET_GROUPS = [
  { title: common.basicInfo, fields: ['hostname', 'ip', 'admin_user'] },
  moreOptions(['is_active', 'comment']),
] as const;
const label = ({ zh }: { readonly zh: string }) => new RegExp(`^${zh}`);
const type = (field: { readonly label: { readonly zh: string } }, value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name: label(field.label) }), {
    target: { value },
  });

/** Makes the window wide or narrow. */
function atWidth(isWide: boolean): void {
  const ask = window.matchMedia.bind(window);
  vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
    Object.defineProperty(ask(query), 'matches', {
      value: isWide && query.includes('min-width'),
    }),
  );
}

afterEach(() => vi.restoreAllMocks());

describe('on a wide window', () => {
  beforeEach(() => atWidth(true));
  const summary = () => within(screen.getByRole('complementary', { name: t(words.summary) }));

  it('lists the values and the missing fields of a new object', async () => {
    new MemoryServer();
    await renderPage(<FormPage source={asset} groups={ASSET_GROUPS} />, {
      path: '/assets/assets/create',
    });
    const { hostname, ip } = asset.fields;
    summary().getByText(t(words.lacks, { fields: `${say(hostname.label, 'zh')}、IP` }));
    type(hostname, 'web-1');
    summary().getByText('web-1');
    summary().getByText(t(words.lacks, { fields: say(ip.label, 'zh') }));
    // A folded field is listed only if it differs from its default.
    expect(summary().queryByText(say(asset.fields.is_active.label, 'zh'))).toBeNull();
  });

  it('lists only the changes of an existing object, with the old values', async () => {
    new MemoryServer().on('GET', 'assets/platforms/1/', () => ({
      body: { id: '1', name: 'old', base: 'Linux', charset: 'utf8', comment: 'same' },
    }));
    await renderPage(<FormPage source={platform} groups={PLATFORM_GROUPS} />, {
      path: '/assets/platforms/1/update',
      route: '/assets/platforms/$id/update',
    });
    await screen.findByText(t(words.noChanges));
    type(platform.fields.name, 'new');
    expect(summary().getByText('old').closest('del')).not.toBeNull();
    summary().getByText('new');
    expect(summary().queryByText('same')).toBeNull();
  });
});

it('shows one line above the buttons of a narrow window, which opens the summary', async () => {
  atWidth(false);
  new MemoryServer();
  await renderPage(<FormPage source={asset} groups={ASSET_GROUPS} />, {
    path: '/assets/assets/create',
  });
  type(asset.fields.hostname, 'web-1');
  const line = screen.getByRole('button', { name: new RegExp(`^${t(words.summary)}`) });
  expect(line.textContent).toContain(t(words.lacks, { fields: 'IP' }));
  type(asset.fields.ip, '10.0.0.8');
  expect(line.textContent).toContain(
    `${t(words.creates, { what: say(asset.title, 'zh') })} · web-1 · 10.0.0.8`,
  );
  expect(screen.queryByText(say(asset.fields.ip.label, 'zh'), { selector: 'dt' })).toBeNull();
  fireEvent.click(line);
  screen.getByText(say(asset.fields.ip.label, 'zh'), { selector: 'dt' });
});
