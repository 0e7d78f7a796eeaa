/** Whether a text is a journal or a JSON log, and not a classic log. */
export function isJson(text: string): boolean {
  // A classic log never carries a record; a JSON log may have other programs' lines around it.
  return /^[^\n]*\{"(seq"|level"|time"|node"|record"|msg")/m.test(text.slice(0, 200_000));
}

/** Without what other systems' editors add: a byte order mark, and a CR at the end of every line. */
export function plain(text: string): string {
  const hasOnlyCrlf = text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
  return (hasOnlyCrlf ? text.replaceAll('\r\n', '\n') : text).replace(/^\ufeff/, '');
}
