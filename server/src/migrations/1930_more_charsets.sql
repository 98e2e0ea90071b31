-- Charsets of devices and consoles beyond UTF-8 and GBK.
alter table platform drop constraint platform_charset_check, add constraint platform_charset_check
  check (charset in ('utf8', 'gbk', 'big5', 'shift_jis', 'euc_jp', 'euc_kr', 'latin1', 'latin9',
    'koi8_r'));
alter table system_account drop constraint system_account_charset_check,
  add constraint system_account_charset_check check (charset in ('', 'utf8', 'gbk', 'big5',
    'shift_jis', 'euc_jp', 'euc_kr', 'latin1', 'latin9', 'koi8_r'));
