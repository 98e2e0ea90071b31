import type { Language } from '@sallyport/contract';

/** Language and zone of tickets that the server makes. */
export type TicketWording = () => { readonly language: Language; readonly zone: string };
