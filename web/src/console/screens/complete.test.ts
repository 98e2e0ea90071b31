import {
  asset,
  Permission,
  RESOURCES,
  type Resource,
  resourceNamed,
  targetOf,
} from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { findSummary, pagesOf } from '../base/resources.ts';
import { isAllowed } from '../base/screen.ts';
import { referenceTo } from '../resource/references.ts';
import { SCREENS } from './index.ts';

/** Resources without create pages, with the place where their objects are created. */
const WITHOUT_PAGES: Readonly<Record<string, string>> = {
  node: 'the asset tree',
  access_key: 'the profile',
  snippet: 'the web terminal',
  ticket: 'what asks for it: a sign-in, a request for access, the API',
};

/** Resources without a list screen, with the page that lists them. */
const WITHOUT_LIST: Readonly<Record<string, string>> = {
  ...WITHOUT_PAGES,
  gateway: 'its domain',
  command_filter_rule: 'its filter',
};

const FLAGS = { SECURITY_COMMAND_EXECUTION: true, XPACK_LICENSE_IS_VALID: true };
const SUPER_SCREENS: readonly string[] = [
  'PlatformList',
  'TerminalList',
  'ReplayStorageList',
  'CommandStorageList',
  'TaskMonitor',
  'Settings',
];

const screensOf = (resource: Resource) =>
  SCREENS.filter((screen) => screen.resource === resource.name);
const isWritable = ({ access }: Resource) =>
  access.create !== undefined && access.update !== undefined;

describe('a declared resource', () => {
  it.each(
    RESOURCES.filter((resource) => isWritable(resource) && !WITHOUT_PAGES[resource.name]).map(
      ({ name }) => name,
    ),
  )('declares create and update pages for %s', (name) => {
    const pages = pagesOf(name);
    const paths = screensOf(resourceNamed(name)).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining([pages.create, pages.update('$id')]));
  });

  it.each(
    RESOURCES.filter((resource) => isWritable(resource) && !WITHOUT_LIST[resource.name]).map(
      ({ name }) => name,
    ),
  )('declares a list screen for %s', (name) => {
    expect(screensOf(resourceNamed(name)).map(({ path }) => path)).toContain(pagesOf(name).list);
  });

  it.each(RESOURCES.map(({ name }) => name))(
    'has a summary of %s and of every resource that it links to',
    (name) => {
      const { fields, path } = resourceNamed(name);
      expect(findSummary(name)?.path).toBe(path);
      const targets = Object.values(fields).flatMap((field) => targetOf(field) ?? []);
      expect(targets.filter((target) => referenceTo(target) === undefined)).toEqual([]);
    },
  );

  it('has screens with unique paths and names in both languages', () => {
    expect(new Set(SCREENS.map(({ path }) => path)).size).toBe(SCREENS.length);
    expect(new Set(SCREENS.map(({ name }) => name)).size).toBe(SCREENS.length);
    for (const { title } of SCREENS) expect([title.en, title.zh].every(Boolean)).toBe(true);
  });

  it('lets super auditors read platforms, terminals, storages, jobs and settings, and open no form there', () => {
    const auditor = Permission.SUPER | Permission.AUDIT;
    const open = SCREENS.filter((screen) => isAllowed(screen, auditor, FLAGS)).map(
      ({ path }) => path,
    );
    for (const name of ['platform', 'terminal', 'replay_storage', 'command_storage']) {
      const { list, create, update, detail } = pagesOf(name);
      expect(open).toEqual(expect.arrayContaining([list, detail('$id')]));
      for (const form of [create, update('$id')]) expect(open).not.toContain(form);
    }
    expect(open).toEqual(expect.arrayContaining(['/ops/task/monitor', '/settings']));
    expect(open).not.toContain(pagesOf('event_receiver').list);
    for (const role of [Permission.AUDIT, Permission.USE, Permission.ADMIN | Permission.AUDIT])
      expect(
        SCREENS.filter(({ name }) => SUPER_SCREENS.includes(name))
          .filter((screen) => isAllowed(screen, role, FLAGS))
          .map(({ name }) => name),
      ).toEqual([]);
  });

  it('requires on its pages the rights of its declaration', () => {
    for (const { permissions, path, resource } of SCREENS) {
      if (!resource || !path.endsWith('/create')) continue;
      const needed = resourceNamed(resource).access.create ?? 0;
      expect([path, (permissions ?? needed) & needed]).toEqual([path, needed]);
    }
  });
});

it('derives titles and paths from the declaration', () => {
  const screens = screensOf(asset);
  expect(screens.map(({ name, path }) => [name, path])).toEqual([
    ['AssetList', '/assets/assets'],
    ['AssetCreate', '/assets/assets/create'],
    ['AssetUpdate', '/assets/assets/$id/update'],
    ['AssetDetail', '/assets/assets/$id'],
  ]);
  expect(screens[1]).toMatchObject({
    title: { en: 'Create asset', zh: '创建资产' },
    activeMenu: '/assets/assets',
  });
});
