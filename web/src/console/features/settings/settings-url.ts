/** Where the settings are read and written. */
export const SETTINGS_URL = 'settings/setting/';
