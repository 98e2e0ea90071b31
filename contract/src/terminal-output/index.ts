export * from './limit-repeats.ts';
export * from './output-filter.ts';
export * from './whole-characters.ts';
