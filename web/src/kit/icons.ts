/** The icons of the product, each by its own name; the bundler keeps those that a page uses. */
export {
  IconAlertTriangle,
  IconCheck,
  IconInfoCircle,
  IconLanguage,
  IconLock,
  IconMoon,
  IconSun,
  IconSunMoon,
} from '@tabler/icons-react';
