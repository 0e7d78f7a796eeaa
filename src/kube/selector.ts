import type { V1LabelSelector } from '@kubernetes/client-node';

/** Whether a policy/v1 object's selector selects what has these labels; an empty one selects all. */
export function isSelected(
  { matchLabels = {}, matchExpressions = [] }: V1LabelSelector,
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          return false;
      }
    })
  );
}
