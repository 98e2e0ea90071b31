/**
 * Shell functions for password hashes. `stored` reads the hash of the account `name`.
 * `set_password` and `set_hash` take the value as a function argument and pass it by standard
 * input, so that no process has it on its command line.
 */
export const PASSWORDS = String.raw`
stored() {
  hash=; found=; shadow=/etc/shadow; [ "$kind" = freebsd ] && shadow=/etc/master.passwd
  while IFS=: read -r n h rest; do [ "$n" = "$name" ] && { hash=$h; found=1; }; done <"$shadow"
  [ -n "$found" ]
}
set_password() {
  if [ "$kind" = freebsd ]; then printf "%s\n" "$1" | pw usermod -n "$name" -h 0
  else printf "%s:%s\n" "$name" "$1" | chpasswd; fi >&2
}
set_hash() {
  if [ "$kind" = freebsd ]; then printf "%s\n" "$1" | pw usermod -n "$name" -H 0
  else printf "%s:%s\n" "$name" "$1" | chpasswd -e; fi >&2
}
passwords() {
  system; root
  case $kind in freebsd) need pw ;; macos) refuse remote_macos ;; *) need chpasswd ;; esac
}`;
