export type { CategoryExtras } from './CategoryForm.tsx';
export { LoginDialog } from './LoginDialog.tsx';
export { ProviderLinks } from './ProviderLinks.tsx';
export { AddressCard } from './ProviderSetup.tsx';
export { type CategoryAddition, SettingsPage } from './SettingsPage.tsx';
export { settingScreens } from './screens.ts';
export { useTest, useTestAlone } from './useTest.tsx';
export { words as settingWords } from './words.ts';
