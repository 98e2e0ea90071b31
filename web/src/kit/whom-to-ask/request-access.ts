/** The page of the console on which users ask for access, below `/ui`. */
export const REQUEST_ACCESS = '/tickets/request-access';
