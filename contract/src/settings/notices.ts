import { choice, datetime, text } from '../kit/field.ts';
import { flag, help, label, optional } from './kit.ts';

/** Maximum characters of the text before sign-in. */
export const MAX_NOTICE = 4_000;

/**
 * Settings of texts for all users: before the sign-in, above the pages of the console, and over
 * screens.
 */
export const NOTICE_SETTINGS = {
  notices: {
    title: { en: 'Notices and watermark', zh: '公告与水印' },
    fields: {
      SIGN_IN_NOTICE: optional(label('Text before sign-in', '登录前提示'), MAX_NOTICE, {
        ...help(
          'Plain text for the sign-in page and for SSH clients. Everyone who reaches this server can read it',
          '纯文本，显示在登录页和 SSH 客户端；任何能访问本服务器的人都能看到',
        ),
        multiline: true,
      }),
      SIGN_IN_NOTICE_ACCEPT: flag(
        label('Ask for acceptance', '要求接受'),
        false,
        help(
          'Users accept the text once, and again after each change. Scripts and SSH clients without a terminal are refused until then',
          '用户需接受一次，文字修改后需重新接受；接受之前，脚本和无终端的 SSH 客户端无法登录',
        ),
      ),
      ANNOUNCEMENT: text({
        ...label('Announcement', '公告'),
        ...help('One line above all pages of the console', '显示在控制台所有页面上方的一行文字'),
        max: 300,
        required: false,
        defaultValue: '',
      }),
      ANNOUNCEMENT_LEVEL: choice({
        ...label('Level', '级别'),
        choices: [
          { value: 'info', label: { en: 'Information', zh: '通知' } },
          { value: 'warning', label: { en: 'Warning', zh: '提醒' } },
          { value: 'critical', label: { en: 'Critical', zh: '紧急' } },
        ],
        required: false,
        defaultValue: 'info',
      }),
      ANNOUNCEMENT_LINK: optional(label('Link', '链接'), 1024, { format: 'url' }),
      ANNOUNCEMENT_FROM: datetime({
        ...label('Show from', '开始显示'),
        ...help('Blank: at once', '留空则立即显示'),
        required: false,
        nullable: true,
      }),
      ANNOUNCEMENT_UNTIL: datetime({
        ...label('Show until', '结束显示'),
        ...help('Blank: until it is removed', '留空则一直显示'),
        required: false,
        nullable: true,
      }),
      ANNOUNCEMENT_CLOSABLE: flag(
        label('Users may close it', '允许关闭'),
        true,
        help('For themselves, in all browsers', '仅对其本人生效，适用于所有浏览器'),
      ),
      WATERMARK: choice({
        ...label('Watermark', '水印'),
        ...help(
          'Name, address and time over terminals, desktops, replays, file previews and query results. It deters and identifies photographs, but prevents none',
          '在终端、桌面、回放、文件预览和查询结果上显示姓名、地址和时间；用于威慑和追溯拍照，无法阻止拍照',
        ),
        choices: [
          { value: 'off', label: { en: 'Off', zh: '关闭' } },
          { value: 'light', label: { en: 'Light', zh: '浅' } },
          { value: 'medium', label: { en: 'Medium', zh: '中' } },
          { value: 'strong', label: { en: 'Strong', zh: '深' } },
        ],
        required: false,
        defaultValue: 'off',
      }),
    },
  },
} as const;
