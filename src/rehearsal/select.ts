import type { ApiObject } from './objects.ts';

/** Whether an object is among those that a list or watch asks for by its selectors. */
export function isAsked(object: ApiObject, query: URLSearchParams): boolean {
  return (
    terms(query.get('fieldSelector')).every((term) => hasField(object, term)) &&
    terms(query.get('labelSelector')).every((term) => hasLabel(object, term))
  );
}

function terms(selector: string | null): string[] {
  return selector === null || selector === '' ? [] : selector.split(',');
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

/** `key=value`, `key!=value` and `key`. */
function hasLabel({ metadata }: ApiObject, term: string): boolean {
  const labels = (metadata.labels ?? {}) as Record<string, string>;
  const match = /^([^!=]+)(!=|==?)(.*)$/.exec(term);
  if (!match) return labels[term] !== undefined;
  const [, key = '', operator, value] = match;
  return operator === '!=' ? labels[key] !== value : labels[key] === value;
}
