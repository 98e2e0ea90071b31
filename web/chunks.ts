/** One file of the build that many pages load, and which modules lie in it. What they import comes along. */
interface SharedChunk {
  readonly name: string;
  readonly priority: number;
  readonly test: RegExp;
}

const any = (...names: readonly string[]): string => `(${names.join('|')})`;
const packages = (...names: readonly string[]): string => `node_modules/${any(...names)}/`;
const components = (...names: readonly string[]): string => `@mantine/core/esm/components/${any(...names)}/`;
const icons = (...names: readonly string[]): string => `@tabler/icons-react/dist/esm/icons/Icon${any(...names)}\\.`;

const sharedChunk = (name: string, priority: number, ...parts: readonly string[]): SharedChunk => ({ name, priority, test: new RegExp(any(...parts)) });

/**
 * Left alone, the bundler makes a file of its own for every set of pages that share something: dozens of tiny ones, each compressed by itself.
 * These three hold what is loaded together anyway: by all pages, by console and terminal, and by every list of the console. A name that is missing here
 * makes a small file again and nothing else; `npm run bench -- first-load` says what pages weigh.
 */
export const SHARED_CHUNKS: readonly SharedChunk[] = [
  sharedChunk(
    'door',
    3,
    packages('react', 'react-dom', 'scheduler', 'clsx', '@tanstack/(query-core|react-query)'),
    '@tabler/icons-react/dist/esm/(create|default)',
    icons('AlertTriangle', 'Check', 'ExternalLink', 'Key', 'Language', 'Lock', 'Moon', 'Sun', 'SunMoon', 'User'),
    '@mantine/core/esm/core/',
    components('ActionIcon', 'Anchor', 'Button', 'CloseButton', 'FocusTrap', 'Input', 'InputBase', 'TextInput', 'Loader', 'Menu', 'Overlay', 'Popover'),
    components('Portal', 'Stack', 'Text', 'Title', 'Transition', 'UnstyledButton', 'VisuallyHidden'),
    `src/kit/${any('AppProviders', 'ErrorBoundary', 'LanguageSwitch', 'Mark', 'ThemeSwitch', 'api', 'brand', 'cookies', 'failures', 'organization')}\\.`,
    `src/kit/${any('overlay-host', 'theme', 'toast', 'i18n/.*')}\\.`,
    'contract/src/(kit/text|limits)\\.',
  ),
  sharedChunk(
    'tools',
    2,
    components('Combobox', 'Tooltip', 'Group', 'Center', 'Kbd', 'Skeleton'),
    '@headless-tree/',
    icons('ChevronDown', 'ChevronRight', 'CircleCheck', 'Copy', 'Dots', 'Download', 'Folder', 'FolderOpen', 'InfoCircle', 'Keyboard'),
    icons('LayoutSidebarLeft(Collapse|Expand)', 'Plus', 'Refresh', 'Search', 'Settings', 'Star', 'Terminal2', 'X'),
    'contract/src/(kit|roles|resources/(labels|terminal|assets))',
  ),
  sharedChunk(
    'list',
    1,
    `src/console/layout/${any('Shell', 'Header', 'Sidebar', 'VisitedTabs', 'AccountMenu', 'Brand', 'Footer', 'menu')}\\.`,
    `src/console/${any('screens/.*', 'tabs/.*', 'start/.*', 'Console', 'router', 'navigation')}\\.`,
    `src/console/resource/list/${any('ResourceList', 'ResourceTable', 'TagSearch', 'ListStates', 'Pager', 'columns', 'ColumnMenu', 'list-state')}\\.`,
    `src/console/resource/${any('PageHeader', 'useMetadata', 'references', 'source')}\\.`,
    `src/console/${any('tree/TreePane', 'tree/NodeTree', 'tree/useAssetTree', 'pages/Clipped', 'pages/HostCell', 'pages/useRoom')}\\.`,
  ),
];
