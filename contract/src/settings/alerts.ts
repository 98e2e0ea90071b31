import { integer } from '../kit/field.ts';
import { flag, help, label } from './kit.ts';

/** Settings of alerts: the kinds, and their thresholds. */
export const ALERT_SETTINGS = {
  alerts: {
    title: { en: 'Alerts', zh: '告警' },
    fields: {
      ALERT_NEW_NETWORK: flag(
        label('Sign-in from a new network', '从新网络登录'),
        true,
        help(
          'A network (the first three numbers of an IPv4 address, an IPv6 /48) from which the user did not sign in for 90 days. The user is notified too',
          '用户 90 天内未从该网络（IPv4 前三段，IPv6 /48）登录过时告警，同时通知用户本人',
        ),
      ),
      ALERT_NEW_COUNTRY: flag(
        label('Sign-in from a new country', '从新国家登录'),
        true,
        help(
          'A country from which the user did not sign in for 90 days. Needs a file of countries on the server (SALLYPORT_COUNTRY_DATABASE)',
          '用户 90 天内未从该国家登录过时告警；服务器须配置国家数据文件（SALLYPORT_COUNTRY_DATABASE）',
        ),
      ),
      ALERT_UNUSUAL_HOUR: flag(
        label('Sign-in at an unusual hour', '异常时段登录'),
        false,
        help(
          'Compares the hour, in the server time zone, with the sign-ins of the user in 90 days. Working days and weekends are separate',
          '按服务器时区，与用户 90 天内的登录时段比较；工作日和周末分别计算',
        ),
      ),
      ALERT_UNUSUAL_HOUR_SHARE: integer({
        ...label('Unusual below (%)', '低于该比例视为异常（%）'),
        ...help(
          'Share of the sign-ins of the user within an hour before or after',
          '前后一小时内的登录次数占该用户全部登录的比例',
        ),
        min: 1,
        max: 20,
        defaultValue: 2,
        required: true,
      }),
      ALERT_UNUSUAL_HOUR_SIGN_INS: integer({
        ...label('Sign-ins before the hour counts', '起算登录次数'),
        ...help(
          'Users with fewer sign-ins in 90 days get no alert of the hour',
          '90 天内登录次数少于该值的用户不产生时段告警',
        ),
        min: 10,
        max: 10_000,
        defaultValue: 30,
        required: true,
      }),
      ALERT_FIRST_USE: flag(
        label('First use of an account', '账号首次使用'),
        false,
        help(
          'A system user on an asset where the organization did not use it for 90 days, although it used the asset',
          '组织 90 天内使用过该资产，但未在其上使用过该系统用户时告警',
        ),
      ),
      ALERT_MANY_DENIALS: flag(
        label('Many denials', '多次被拒绝'),
        true,
        help(
          'Failed sign-ins and denied commands of one user; failed sign-ins with unknown names by their address',
          '同一用户登录失败和命令被拒绝的次数；未知用户名的登录失败按来源地址统计',
        ),
      ),
      ALERT_DENIALS: integer({
        ...label('Alert above (denials)', '超过该次数时告警'),
        min: 5,
        max: 1_000,
        defaultValue: 20,
        required: true,
      }),
      ALERT_DENIAL_MINUTES: integer({
        ...label('Within (minutes)', '统计时长（分钟）'),
        min: 1,
        max: 60,
        defaultValue: 10,
        required: true,
      }),
    },
  },
} as const;
