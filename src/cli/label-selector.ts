/** Whether the API server takes `text` as a label selector: `app=web,tier in (a,b),!canary`. */
export function isLabelSelector(text: string): boolean {
  // Commas within parentheses separate values.
  return text === '' || text.split(/,(?![^(]*\))/).every((term) => isTerm(term.trim()));
}

function isTerm(term: string): boolean {
  const exists = /^!?\s*([^\s=!<>()]+)$/.exec(term);
  if (exists) return isKey(exists[1]);
  const compared = /^([^\s=!<>()]+)\s*(?:==?|!=)\s*([^\s=!<>()]*)$/.exec(term);
  if (compared) return isKey(compared[1]) && isValue(compared[2]);
  const counted = /^([^\s=!<>()]+)\s*[<>]\s*\d{1,18}$/.exec(term);
  if (counted) return isKey(counted[1]);
  const listed = /^([^\s=!<>()]+)\s+(?:in|notin)\s*\(([^()]*)\)$/.exec(term);
  const values = listed?.[2]?.split(',') ?? [];
  return isKey(listed?.[1]) && values.every((one) => isValue(one.trim()));
}

/** `name` or `prefix/name`. */
function isKey(text: string | undefined): boolean {
  const [name = '', prefix, ...more] = (text ?? '').split('/').reverse();
  return (
    more.length === 0 && name !== '' && isValue(name) && (prefix === undefined || isDomain(prefix))
  );
}

function isValue(text: string | undefined): boolean {
  return text !== undefined && /^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/.test(text);
}

function isDomain(text: string): boolean {
  return (
    text.length <= 253 &&
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text)
  );
}
