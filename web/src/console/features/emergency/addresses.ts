/** The page on which users open emergency access. */
export const EMERGENCY_PATH = '/emergency-access';
