import { SECOND_CONSOLE } from '@sallyport/contract';

const here = typeof location === 'undefined' ? '' : location.pathname;

/** The address below which this page finds the pages of the console, without a slash at its end. */
export const BASE_PATH = `${here}/`.startsWith(`${SECOND_CONSOLE}/`) ? SECOND_CONSOLE : '/ui';
