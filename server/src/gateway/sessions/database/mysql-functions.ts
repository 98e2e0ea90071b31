/**
 * Words before a parenthesis in statements of MySQL that have no effects: keywords, and functions
 * of the server without those that wait, lock, or read files. A stored function may have effects.
 */
const BUILT_IN = new Set(
  (
    'abs acos adddate addtime all and any ascii asin atan atan2 avg between bin bit_and bit_count bit_length bit_or bit_xor by case cast ceil ceiling ' +
    'char char_length character_length coalesce concat concat_ws conv convert cos cot count crc32 curdate current_date current_time current_timestamp ' +
    'current_user curtime database date date_add date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear decimal default degrees distinct div ' +
    'elt else exists exp export_set extract field find_in_set floor format from from_base64 from_days from_unixtime greatest group group_concat having hex ' +
    'hour if ifnull in inet_aton inet_ntoa insert instr interval is isnull join json_array json_array_append json_array_insert json_contains ' +
    'json_contains_path json_depth json_extract json_insert json_keys json_length json_merge_patch json_merge_preserve json_object json_quote json_remove ' +
    'json_replace json_search json_set json_type json_unquote json_valid last_day lcase least left length like ln localtime localtimestamp locate log log10 ' +
    'log2 lower lpad ltrim makedate maketime max md5 microsecond mid min minute mod month monthname not now nullif oct octet_length on or ord period_add ' +
    'period_diff pi position pow power quarter quote radians rand regexp regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse right ' +
    'rlike round row row_number rpad rtrim schema sec_to_time second select set sha sha1 sha2 sign sin some soundex space sqrt std stddev str_to_date strcmp ' +
    'subdate substr substring substring_index subtime sum sysdate tan then time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64 ' +
    'to_days to_seconds trim truncate ucase unhex union unix_timestamp upper user using utc_date utc_time utc_timestamp uuid values variance varchar week ' +
    'weekday weekofyear when where xor year yearweek'
  ).split(' '),
);

/** Returns true for a keyword or function without effects. */
export const isBuiltIn = (name: string): boolean => BUILT_IN.has(name.toLowerCase());
