// The words and the text with which SPDY/3 headers are compressed (draft-mbelshe-httpbis-spdy-00,
// section 2.6.10.1). An underscore stands for a space.
const WORDS = `
  options head post put delete trace accept accept-charset accept-encoding accept-language
  accept-ranges age allow authorization cache-control connection content-base content-encoding
  content-language content-length content-location content-md5 content-range content-type date
  etag expect expires from host if-match if-modified-since if-none-match if-range
  if-unmodified-since last-modified location max-forwards pragma proxy-authenticate
  proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade
  user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url
  public set-cookie keep-alive origin
`;
const TEXT = `
  1001012012022052063003023033043053063074024054064074084094104114124134144154164175025045
  05203_Non-Authoritative_Information204_No_Content301_Moved_Permanently400_Bad_Request401
  _Unauthorized403_Forbidden404_Not_Found500_Internal_Server_Error501_Not_Implemented503_S
  ervice_UnavailableJan_Feb_Mar_Apr_May_Jun_Jul_Aug_Sept_Oct_Nov_Dec_00:00:00_Mon,_Tue,_We
  d,_Thu,_Fri,_Sat,_Sun,_GMTchunked,text/html,image/png,image/jpg,image/gif,application/xm
  l,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-
  age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.
`;

function counted(word: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(word.length);
  return Buffer.concat([length, Buffer.from(word, 'latin1')]);
}

/** The dictionary of compressed headers: words with their lengths, then text. */
export const DICTIONARY = Buffer.concat([
  ...WORDS.trim()
    .split(/\s+/)
    .map((word) => counted(word.replaceAll('_', ' '))),
  Buffer.from(TEXT.replaceAll(/\s/g, '').replaceAll('_', ' '), 'latin1'),
]);
