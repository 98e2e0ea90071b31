/** The console page for access requests, below `BASE_PATH`. */
export const REQUEST_ACCESS = '/tickets/request-access';
