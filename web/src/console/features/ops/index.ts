export { HostState } from './HostState.tsx';
export { opsScreens, ownBatchScreens, taskPages } from './screens.ts';
export { TaskRunReport } from './tasks/TaskRunReport.tsx';
export { SCHEDULED, TaskTable } from './tasks/TaskTable.tsx';
