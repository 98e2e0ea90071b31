export * from './output-filter.ts';
