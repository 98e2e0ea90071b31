export const SETTINGS_URL = 'settings/setting/';
