/** The console page for access requests, below `/ui`. */
export const REQUEST_ACCESS = '/tickets/request-access';
