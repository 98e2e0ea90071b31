/**
 * Business constants (docs/conformance.md, section 9). Durations in milliseconds unless the name
 * says otherwise.
 */
export const HTTP_TIMEOUT = 60_000;
export const ERROR_TOAST = 5_000;
/** Days during which a changed password or key can be restored. */
export const PREVIOUS_SECRET_DAYS = 7;
export const AFTER_SAVE_DELAY = 100;
export const PAGE_SIZES = [15, 30, 50, 100] as const;
/** Rows requested by a list without pages. */
export const ROWS_WITHOUT_PAGES = 999;
export const PAGER_BUTTONS = 5;
export const SELECT_PAGE_SIZE = 10;
export const TAG_SEARCH_DELAY = 400;
export const ROLE_COOKIE_DAYS = 14;
export const ACTIVE_TAB_COOKIE_DAYS = 1;
/** Days before expiry when the console reminds users of their password. */
export const PASSWORD_REMINDER_DAYS = 5;
export const MOBILE_BREAKPOINT = 992;
export const SIDEBAR_WIDTH = 220;
export const DETAIL_TITLE_MAX = 80;
/** Version of the API. The version of the product is in package.json. */
export const API_VERSION = '2.1.0';
export const DEFAULT_ORGANIZATION_ID = 'DEFAULT';
export const DEFAULT_ORGANIZATION_NAME = 'DEFAULT';
/** Maximum bytes of a JSON body; larger ones get 413. */
export const BODY_LIMIT = 4 * 1024 * 1024;
/** Maximum items of a bulk body or a relation list. */
export const MAX_ITEMS = 10_000;
/** Maximum nodes found by a tree search, without their ancestors. */
export const TREE_FOUND_MAX = 500;
