export * from './limit-repeats.ts';
export * from './output-filter.ts';
