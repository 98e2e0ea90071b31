import { Permission } from '@sallyport/contract';
import type { SettingsService } from '../../platform/settings/service.ts';
import { type Attention, attentionFact } from '../../resources/attention.ts';
import { backupState, oldBackup } from './backups.ts';
import { drillState, isDrillLate } from './drills.ts';

export const createBackupAttention = (settings: Pick<SettingsService, 'get'>): Attention => ({
  facts: {
    kinds: ['backup_failed', 'backup_old', 'backup_drill_failed', 'backup_drill_late'],
    access: Permission.SUPER,
    async read(db) {
      const [old, backup, drill] = await Promise.all([
        oldBackup(db),
        backupState(db),
        drillState(db),
      ]);
      const isLate = isDrillLate(drill, settings.get('BACKUP_DRILL_DAYS'));
      return [
        ['backup_failed', backup.has_failed ? attentionFact(null, backup.last_tried) : undefined],
        ['backup_old', old && attentionFact(null, old.last)],
        [
          'backup_drill_failed',
          drill.has_failed ? attentionFact(null, drill.last_finished) : undefined,
        ],
        ['backup_drill_late', isLate ? attentionFact(null, drill.last_passed) : undefined],
      ];
    },
  },
});
