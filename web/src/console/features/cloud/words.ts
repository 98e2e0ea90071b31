import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  center: { zh: '云管中心', en: 'Cloud center' },
  hint: {
    zh: '将云服务商的实例同步为资产。同步不会删除资产。',
    en: 'Sync tasks add instances of cloud providers as assets. They never delete an asset.',
  },
  tasks: { zh: '同步实例任务列表', en: 'Sync tasks' },
  accounts: { zh: '账号列表', en: 'Accounts' },
  basic: { zh: '基本', en: 'Basic' },
  provider: { zh: '云服务商和密钥', en: 'Provider and key' },
  source: { zh: '同步源', en: 'Cloud source' },
  saved: { zh: '同步设置', en: 'Target' },
  place: { zh: '专有云', en: 'Private cloud' },
  history: { zh: '同步历史列表', en: 'Sync history' },
  instances: { zh: '同步实例列表', en: 'Synced instances' },
  untested: { zh: '尚未测试', en: 'Not tested yet' },
  test: { zh: '测试', en: 'Test' },
  testNow: { zh: '测试账号', en: 'Test the account' },
  execute: { zh: '执行', en: 'Run' },
  executeNow: { zh: '立即执行', en: 'Run now' },
  log: { zh: '日志', en: 'Log' },
  new: { zh: '新增', en: 'New' },
  unsync: { zh: '未同步', en: 'Not synced' },
  sync: { zh: '已同步', en: 'Synced' },
  released: { zh: '已释放', en: 'Released' },
  regions: { zh: '地域', en: 'Regions' },
  chooseAccount: { zh: '请先选择账号', en: 'Choose an account first' },
  noRegions: { zh: '没有匹配的地域', en: 'No region matches' },
  loading: { zh: '正在从云服务商读取地域', en: 'Reading the regions from the provider' },
  needs: { zh: '所需的密钥和权限', en: 'Required key and permissions' },
  deleteReleased: { zh: '删除已释放资产', en: 'Delete released assets' },
  askDelete: {
    zh: '删除此任务中实例已释放的资产。有过会话的资产只禁用，不删除。',
    en: 'Deletes the assets of this task whose instances were released. Assets that had sessions are disabled instead.',
  },
  deleted: {
    zh: '已删除 {deleted, number} 个资产，已禁用 {disabled, number} 个资产。',
    en: '{deleted, plural, one {# asset} other {# assets}} deleted, {disabled, plural, one {# asset} other {# assets}} disabled.',
  },
  take: { zh: '重新创建资产', en: 'Add as asset again' },
  taken: {
    zh: '下次执行时将为该实例创建资产。',
    en: 'The next run adds this instance as an asset.',
  },
  emptyHistory: { zh: '此任务尚未执行', en: 'This task has not run yet' },
  emptyInstances: {
    zh: '任务执行后，实例将显示在这里。',
    en: 'Instances appear here after the task has run.',
  },
});

/** The name of id and secret of each provider's key, and the rights that the key needs. */
export const providerWords = catalogue({
  aliyun: {
    zh: 'RAM 用户的 AccessKey ID 和 AccessKey Secret。需要 ecs:DescribeRegions 和 ecs:DescribeInstances，例如策略 AliyunECSReadOnlyAccess。',
    en: 'AccessKey ID and AccessKey Secret of a RAM user. It needs ecs:DescribeRegions and ecs:DescribeInstances, as in the policy AliyunECSReadOnlyAccess.',
  },
  qcloud: {
    zh: '子账号的 SecretId 和 SecretKey。需要 cvm:DescribeRegions 和 cvm:DescribeInstances，例如策略 QcloudCVMReadOnlyAccess。',
    en: 'SecretId and SecretKey of a sub-account. It needs cvm:DescribeRegions and cvm:DescribeInstances, as in the policy QcloudCVMReadOnlyAccess.',
  },
  aws_china: {
    zh: '中国区 IAM 用户的访问密钥 ID 和私有访问密钥。需要 ec2:DescribeRegions 和 ec2:DescribeInstances。',
    en: 'Access key ID and secret access key of an IAM user in China. It needs ec2:DescribeRegions and ec2:DescribeInstances.',
  },
  aws_international: {
    zh: 'IAM 用户的访问密钥 ID 和私有访问密钥。需要 ec2:DescribeRegions 和 ec2:DescribeInstances。',
    en: 'Access key ID and secret access key of an IAM user. It needs ec2:DescribeRegions and ec2:DescribeInstances.',
  },
  huaweicloud: {
    zh: 'IAM 用户的 AK 和 SK。需要 ECS ReadOnlyAccess，以及读取 IAM 区域和项目的权限。',
    en: 'AK and SK of an IAM user. It needs ECS ReadOnlyAccess and the right to read regions and projects of IAM.',
  },
});
