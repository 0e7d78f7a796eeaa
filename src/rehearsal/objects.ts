/** An API object as JSON; nothing is dropped that the server does not know. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface ApiObject extends JsonObject {
  metadata: JsonObject & { name: string; resourceVersion: string };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** RFC 7386: objects merge, null removes, everything else replaces. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** Lists that Kubernetes merges by a key; here those of a Node that this program writes. */
const MERGE_KEYS: Record<string, string> = { conditions: 'type' };

/** A strategic merge patch, as far as it is used: as a merge patch, but keyed lists merge. */
export function strategicPatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    const key = MERGE_KEYS[field];
    const old = result[field];
    if (value === null) delete result[field];
    else if (key && Array.isArray(value)) result[field] = mergeList(old, value, key);
    else result[field] = strategicPatch(old, value);
  }
  return result;
}

function mergeList(old: Json | undefined, patch: Json[], key: string): Json[] {
  const result = Array.isArray(old) ? [...old] : [];
  for (const item of patch) {
    const index = result.findIndex((other) => keyOf(other, key) === keyOf(item, key));
    if (index < 0) result.push(item);
    else result[index] = strategicPatch(result[index], item);
  }
  return result;
}

function keyOf(item: Json, key: string): Json | undefined {
  return isObject(item) ? item[key] : undefined;
}
