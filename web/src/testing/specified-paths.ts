export interface SpecifiedPath {
  readonly section: string;
  /** The path as written in the specification. */
  readonly text: string;
  /**
   * The actual address, relative to the console, or absolute if it begins with `/core` or `/ui`.
   * `{…}` is an id of this resource.
   */
  readonly path: string;
  readonly area: 'admin' | 'user' | 'any';
  /** The target of a redirect. */
  readonly leadsTo?: string;
}

type Line = readonly [text: string, path: string, leadsTo?: string];

const pathsOf = (
  section: string,
  area: SpecifiedPath['area'],
  lines: readonly Line[],
): SpecifiedPath[] =>
  lines.map(([text, path, leadsTo]) => ({
    section,
    area,
    text,
    path,
    ...(leadsTo !== undefined && { leadsTo }),
  }));

/** Pages of a resource for which the specification lists them in brackets. */
const crud = (
  text: string,
  path: string,
  resource: string,
  pages: readonly string[] = ['list', 'create', '{id}/update', '{id}'],
): Line[] =>
  pages.map((page) => [
    `${text} (${page})`,
    page === 'list' ? path : `${path}/${page.replace('{id}', `{${resource}}`)}`,
  ]);

/** Every literal path of section 2, in order. */
export const SPECIFIED_PATHS: readonly SpecifiedPath[] = [
  ...pathsOf('2', 'any', [
    ['/ui/', '/'],
    ['/404', '/404'],
    ['/core/auth/login/', '/core/auth/login/'],
    ['/login', '/login'],
    [
      '/users/first-login/personal-information-improvement/',
      '/users/first-login/personal-information-improvement/',
    ],
  ]),
  ...pathsOf('2 Admin area', 'admin', [
    ['/dashboard', '/dashboard'],
    ['users/users', '/users/users'],
    ['users/create', '/users/users/create'],
    ['users/{id}/update', '/users/users/{user}/update'],
    ['users/{id}', '/users/users/{user}'],
    ['users/groups', '/users/groups'],
    ['groups/create', '/users/groups/create'],
    ['groups/{id}/update', '/users/groups/{user_group}/update'],
    ['groups/{id}', '/users/groups/{user_group}'],
    ...crud('assets/assets', '/assets/assets', 'asset'),
    ...crud('domains', '/assets/domains', 'domain'),
    ...crud('gateways', '/assets/gateways', 'gateway', ['create', '{id}/update']),
    ...crud('admin-users', '/assets/admin-users', 'admin_user'),
    ...crud('system-users', '/assets/system-users', 'system_user'),
    ...crud('cmd-filters', '/assets/cmd-filters', 'command_filter'),
    ...crud('command-filter-rules', '/assets/command-filter-rules', 'command_filter_rule', [
      'create',
      '{id}/update',
    ]),
    ...crud('platforms', '/assets/platforms', 'platform'),
    ...crud('labels', '/assets/labels', 'label', ['list', 'create', '{id}/update']),
    ...crud('applications/remote-apps', '/applications/remote-apps', 'remote_app'),
    ...crud('database-apps', '/applications/database-apps', 'database_app'),
    ...crud('perms/asset-permissions', '/perms/asset-permissions', 'asset_permission', [
      'list',
      'create',
      '{id}',
    ]),
    ['asset-permission/{id}/update', '/perms/asset-permission/{asset_permission}/update'],
    ...crud('remote-app-permissions', '/perms/remote-app-permissions', 'remote_app_permission', [
      'list',
      'create',
      '{id}',
    ]),
    [
      'remote-app-permissions (update)',
      '/perms/remote-app-permissions/update',
      '/perms/remote-app-permissions',
    ],
    ...crud(
      'database-app-permissions',
      '/perms/database-app-permissions',
      'database_app_permission',
      ['list', 'create', '{id}'],
    ),
    [
      'database-app-permissions (update)',
      '/perms/database-app-permissions/update',
      '/perms/database-app-permissions',
    ],
    ['terminal/session', '/terminal/session'],
    ['command', '/terminal/command'],
    ['sessions/{id}', '/terminal/sessions/{session}'],
    ...crud('terminal', '/terminal/terminal', 'terminal', ['list', '{id}', '{id}/update']),
    ['storages', '/terminal/storages'],
    ['replay-storage/create', '/terminal/replay-storage/create'],
    ['replay-storage {id}/update', '/terminal/replay-storage/{replay_storage}/update'],
    ['command-storage/create', '/terminal/command-storage/create'],
    ['command-storage {id}/update', '/terminal/command-storage/{command_storage}/update'],
    ['luna', '/terminal/luna', '/luna/'],
    ['sftp', '/terminal/sftp', '/koko/elfinder/sftp/'],
    ['ops/tasks', '/ops/tasks'],
    ['tasks/{id}', '/ops/tasks/{ops_task}'],
    ['adhoc/{id}', '/ops/adhoc/{adhoc}'],
    ['executions/{id}', '/ops/executions/{adhoc_execution}'],
    ['command-executions/create', '/ops/command-executions/create'],
    ['task/monitor', '/ops/task/monitor'],
    ['tickets/tickets', '/tickets/tickets'],
    ['tickets/{id}', '/tickets/tickets/{ticket}'],
    ['login-log', '/audits/login-log'],
    ['ftp-log', '/audits/ftp-log'],
    ['operate-log', '/audits/operate-log'],
    ['password-change-log', '/audits/password-change-log'],
    ['command-execution-log', '/audits/command-execution-log'],
    ['/settings', '/settings'],
  ]),
  ...pathsOf('2 User area', 'any', [['/ops/celery/task/{id}/log/', '/ops/celery/task/{job}/log/']]),
  ...pathsOf('2 User area', 'user', [
    ['/users/profile', '/users/profile'],
    ['first-login … guide', '/users/first-login/guide'],
    ['/ (my assets)', '/'],
    ['/apps/remoteapp', '/apps/remoteapp'],
    ['/apps/database', '/apps/database'],
    ['/command-executions', '/command-executions'],
    ['external link to the web terminal', '/luna', '/luna/'],
    ['external link to the web file manager', '/sftp', '/koko/elfinder/sftp/'],
  ]),
];
