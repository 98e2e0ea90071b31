export { NextRuns, PERIOD_GROUP, PERIOD_INITIAL, PERIOD_OVERRIDES } from './period.tsx';
