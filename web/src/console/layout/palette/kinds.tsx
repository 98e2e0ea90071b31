import type { ComponentType } from 'react';
import {
  IconBook,
  IconBuilding,
  IconClock,
  IconDeviceDesktop,
  IconFingerprint,
  IconFolder,
  IconGauge,
  IconHelp,
  IconHistory,
  IconInbox,
  IconKey,
  IconLifebuoy,
  IconLock,
  IconPencil,
  IconPlus,
  IconRefresh,
  IconServer2,
  IconSettings,
  IconShieldCheck,
  IconSitemap,
  IconTag,
  IconTerminal2,
  IconUser,
  IconUsers,
} from '../../../kit/icons.ts';
import type { Screen } from '../../base/screen.ts';

type Icon = ComponentType<{ readonly size?: number | string }>;

const KINDS: Readonly<Record<string, Icon>> = {
  user: IconUser,
  user_group: IconUsers,
  asset: IconServer2,
  node: IconFolder,
  domain: IconSitemap,
  gateway: IconSitemap,
  platform: IconSettings,
  label: IconTag,
  command_filter: IconShieldCheck,
  admin_user: IconShieldCheck,
  system_user: IconKey,
  asset_permission: IconLock,
  organization: IconBuilding,
  database_app: IconServer2,
  remote_app: IconDeviceDesktop,
  session: IconDeviceDesktop,
  command: IconTerminal2,
  login_log: IconFingerprint,
  operate_log: IconHistory,
  job: IconClock,
};

const SCREENS: Readonly<Record<string, Icon>> = {
  dashboard: IconGauge,
  SessionList: IconDeviceDesktop,
  SessionDetail: IconDeviceDesktop,
  CommandList: IconTerminal2,
  LoginLog: IconFingerprint,
  OperateLog: IconHistory,
  PasswordChangeLog: IconRefresh,
  WebTerminal: IconTerminal2,
  MyWebTerminal: IconTerminal2,
  MyAssets: IconServer2,
  UserProfile: IconUser,
  Help: IconHelp,
  Docs: IconBook,
  Support: IconLifebuoy,
  Enterprise: IconBuilding,
};

export function iconOfKind(kind: string) {
  const Icon = KINDS[kind] ?? IconInbox;
  return <Icon size={16} />;
}

/** The icon of a page: its own, or the icon of its resource. */
export function iconOfScreen(screen: Screen | undefined) {
  const isForm = screen?.resource !== undefined && /(Create|Update)$/.test(screen.name);
  const Form = screen?.name.endsWith('Create') ? IconPlus : IconPencil;
  const Icon = isForm
    ? Form
    : (screen?.menu?.icon ??
      SCREENS[screen?.name ?? ''] ??
      KINDS[screen?.resource ?? ''] ??
      IconSettings);
  return <Icon size={16} />;
}
