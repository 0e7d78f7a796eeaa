/** A controller that is given up when `parent` is; `release` ends that. */
export function childController(parent: AbortSignal | undefined): {
  controller: AbortController;
  release(): void;
} {
  const controller = new AbortController();
  const follow = () => controller.abort();
  parent?.addEventListener('abort', follow);
  if (parent?.aborted) follow();
  return { controller, release: () => parent?.removeEventListener('abort', follow) };
}
