/** A request that failed, with what is known of why. Becomes the machine's `api.failed`. */
export class ApiError extends Error {
  /** The HTTP status, or null where no answer came. */
  readonly code: number | null;
  readonly retryAfterS: number | null;
  constructor(message: string, code: number | null, retryAfterS: number | null, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

/** An answer that is not 2xx. The API server explains itself in a Status object. */
export function statusError(code: number, body: string, retryAfter: string | null): ApiError {
  const retryAfterS = retryAfter === null ? null : Number(retryAfter);
  return new ApiError(statusMessage(body) ?? `HTTP status ${code}`, code, retryAfterS);
}

function statusMessage(body: string): string | null {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    return typeof message === 'string' && message !== '' ? message : null;
  } catch {
    // A proxy's page, or nothing: the status code has to do.
    return null;
  }
}

/** A request without an answer, in the words of the original's HTTP library. */
export function networkError(method: string, url: string, error: unknown): ApiError {
  const verb = method.charAt(0) + method.slice(1).toLowerCase();
  return new ApiError(`${verb} "${url}": ${causeText(url, error)}`, null, null, error);
}

const SOCKET_ERRORS: Record<string, string> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'read: connection reset by peer',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

function causeText(url: string, error: unknown): string {
  const cause = innermost(error);
  if (cause.name === 'TimeoutError') return 'no answer in time';
  const { code } = cause as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : SOCKET_ERRORS[code];
  if (!known) return cause.message;
  const { hostname, port, protocol } = new URL(url);
  return `dial tcp ${hostname}:${port || (protocol === 'https:' ? 443 : 80)}: ${known}`;
}

/** fetch wraps what happened in a `TypeError: fetch failed`; the cause is what a person needs. */
function innermost(error: unknown): Error {
  const own = error instanceof Error ? error : new Error(String(error));
  if (own instanceof AggregateError && own.errors.length > 0) return innermost(own.errors[0]);
  return own.cause instanceof Error ? innermost(own.cause) : own;
}
