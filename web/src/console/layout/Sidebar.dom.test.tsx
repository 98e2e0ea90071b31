import { Role } from '@sallyport/contract';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../kit/i18n/index.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { useGoButton } from '../base/navigation.tsx';
import { words } from '../base/words.ts';
import { Sidebar } from './Sidebar.tsx';

const WINDOWS = [
  [words.webTerminal, /^\/luna\/\?_=\d+$/],
  [words.fileManager, /^\/koko\/elfinder\/sftp\/$/],
] as const;

const isWindowLink = (link: HTMLElement, address: RegExp) => {
  expect(link.getAttribute('href')).toMatch(address);
  expect(link.getAttribute('target')).toBe('_blank');
  expect(link.getAttribute('rel')).toBe('noopener');
};

it('links to the web terminal and the file manager, each in another window', async () => {
  await renderPage(<Sidebar />, { role: Role.User });
  for (const [title, address] of WINDOWS)
    for (const link of screen.getAllByRole('link', { name: t(title), hidden: true }))
      isWindowLink(link, address);
});

it('links from the small sidebar by icon, and from the menus of its groups', async () => {
  await renderPage(<Sidebar small />, { role: Role.User });
  for (const [title, address] of WINDOWS)
    isWindowLink(screen.getAllByRole('link', { name: t(title) })[0] as HTMLElement, address);
  const [group] = within(screen.getByRole('navigation')).getAllByRole('button');
  fireEvent.click(group as HTMLElement);
  const entries = await screen.findAllByRole('menuitem');
  expect(entries.length).toBeGreaterThan(0);
  for (const entry of entries) expect(entry.getAttribute('href')).toMatch(/^\/(ui|luna|koko)\//);
});

function Button() {
  const { component: Link, ...props } = useGoButton()('/users/users', { search: { offset: '15' } });
  return <Link {...props}>users</Link>;
}

it('navigates by a plain click only, and leaves other clicks to the browser', async () => {
  const { router } = await renderPage(<Button />);
  const link = screen.getByRole('link', { name: 'users' });
  expect(link.getAttribute('href')).toBe('/ui/users/users?offset=15');
  for (const held of [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { button: 1 }])
    expect(fireEvent.click(link, held)).toBe(true);
  expect(router.latestLocation.pathname).toBe('/');
  expect(fireEvent.click(link)).toBe(false);
  await screen.findByRole('link', { name: 'users' });
  expect(router.latestLocation.href).toBe('/users/users?offset=15');
});
