import type { ApiObject } from './objects.ts';
import { StatusError } from './store.ts';

/**
 * Whether an object is among those that a list or watch asks for by its selectors. Throws a 400
 * StatusError for what is no selector.
 */
export function isAsked(object: ApiObject, query: URLSearchParams): boolean {
  return (
    terms(query.get('fieldSelector')).every((term) => hasField(object, term)) &&
    terms(query.get('labelSelector')).every((term) => hasLabel(object, term))
  );
}

/** Split at commas, but not at those of a list of values. */
function terms(selector: string | null): string[] {
  return selector === null || selector === '' ? [] : selector.split(/,(?![^(]*\))/);
}

/** `metadata.name=` and `spec.nodeName=`: what this program asks for. */
function hasField({ metadata, spec }: ApiObject, term: string): boolean {
  const [field = '', value = ''] = term.split('=');
  const { nodeName } = (spec ?? {}) as { nodeName?: string };
  const fields: Record<string, string | undefined> = {
    'metadata.name': metadata.name,
    'spec.nodeName': nodeName,
  };
  return fields[field] === value;
}

const WORD = '[\\w./-]';
/** `key=value`, `key==value`, `key!=value`. */
const EQUALITY = new RegExp(`^\\s*(${WORD}+)\\s*(!=|==?)\\s*(${WORD}*)\\s*$`);
/** `key in (a, b)`, `key notin (a, b)`. */
const SET = new RegExp(`^\\s*(${WORD}+)\\s+(in|notin)\\s*\\(([^()]*)\\)\\s*$`);
/** `key`, `!key`. */
const EXISTENCE = new RegExp(`^\\s*(!?)\\s*(${WORD}+)\\s*$`);

function hasLabel({ metadata }: ApiObject, term: string): boolean {
  const labels = (metadata.labels ?? {}) as Record<string, string>;
  const equality = EQUALITY.exec(term);
  if (equality) {
    const [, key = '', operator, value] = equality;
    return (labels[key] === value) === (operator !== '!=');
  }
  const set = SET.exec(term);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const value = labels[key];
    const values = list.split(',').map((item) => item.trim());
    return (value !== undefined && values.includes(value)) === (operator === 'in');
  }
  const existence = EXISTENCE.exec(term);
  if (existence) return (labels[existence[2] ?? ''] !== undefined) === (existence[1] === '');
  throw new StatusError(400, 'BadRequest', `unable to parse requirement: ${term}`);
}
