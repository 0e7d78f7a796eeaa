/** A request that failed, with what is known of why. Becomes the machine's `api.failed`. */
export class ApiError extends Error {
  /** The HTTP status, or null where no answer came. */
  readonly code: number | null;
  readonly retryAfterS: number | null;
  /** The details that the API server gives of its refusal. */
  readonly details: readonly StatusCause[];
  constructor(
    message: string,
    code: number | null,
    retryAfterS: number | null,
    cause?: unknown,
    details: readonly StatusCause[] = [],
  ) {
    super(message, { cause });
    this.code = code;
    this.retryAfterS = retryAfterS;
    this.details = details;
  }
}

/** One of the `details.causes` of a Status object. */
export interface StatusCause {
  reason: string;
  message: string;
}

/** A file of the kubeconfig or of the service account that cannot be read, or a failed plugin. */
export class CredentialsError extends Error {}

/**
 * What kind of failure it is: `answer` an HTTP status, `garbled` a 2xx that is not what was asked
 * for, `tls` the server's certificate is not accepted, `credentials` nothing could be sent, and
 * `unreachable` no answer.
 */
export type Failure = 'answer' | 'garbled' | 'tls' | 'credentials' | 'unreachable';

export function failureOf({ code, cause }: ApiError): Failure {
  if (code !== null) return code < 300 ? 'garbled' : 'answer';
  if (cause instanceof CredentialsError) return 'credentials';
  return isTls(innermost(cause)) ? 'tls' : 'unreachable';
}

/** Whether the same request may be answered otherwise a while later, with nothing done about it. */
export function isPassing({ code }: ApiError): boolean {
  if (code === null || code < 400 || code >= 500) return true;
  // A token that rotates, a slow request, a list that has changed too much, flow control.
  return [401, 408, 410, 429].includes(code);
}

/** How much of an answer that nobody expected is shown. */
const EXCERPT_CHARS = 80;
/** A Status message goes into one log line. */
const MESSAGE_MAX_CHARS = 1_000;

/** An answer that is not 2xx. The API server explains itself in a Status object. */
export function statusError(code: number, body: string, retryAfter: string | null): ApiError {
  const { message, causes } = statusOf(body);
  const note = body.trim() === '' ? '' : ` with ${excerpt(body)}`;
  const text = message ?? `HTTP status ${code}${note}`;
  return new ApiError(text, code, seconds(retryAfter), undefined, causes);
}

/** A 2xx answer that cannot be used. */
export function garbledError(what: string, body: string): ApiError {
  const message = body.trim() === '' ? 'empty' : `not ${what}: ${excerpt(body)}`;
  return new ApiError(`the answer is ${message}`, 200, null);
}

/** The beginning of a text on one line. */
export function excerpt(body: string): string {
  const text = body.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}...` : text;
}

/** Retry-After in its form of a date is not used by API servers. */
function seconds(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null;
}

function statusOf(body: string): { message: string | null; causes: StatusCause[] } {
  try {
    const { message, details } = JSON.parse(body) as { message?: unknown; details?: unknown };
    const { causes } = (details ?? {}) as { causes?: unknown };
    return {
      message: oneLine(message),
      causes: (Array.isArray(causes) ? causes : []).map((cause: Partial<StatusCause> | null) => ({
        reason: oneLine(cause?.reason) ?? '',
        message: oneLine(cause?.message) ?? '',
      })),
    };
  } catch {
    // A proxy's page, or nothing: the status code has to do.
    return { message: null, causes: [] };
  }
}

function oneLine(text: unknown): string | null {
  if (typeof text !== 'string' || text === '') return null;
  return text.replaceAll(/\s*\n\s*/g, ' ').slice(0, MESSAGE_MAX_CHARS);
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
  UND_ERR_CONNECT_TIMEOUT: 'i/o timeout',
};

function causeText(url: string, error: unknown): string {
  const cause = innermost(error);
  const known = SOCKET_ERRORS[codeOf(cause)];
  if (!known) return cause.message;
  const { hostname, port, protocol } = new URL(url);
  return `dial tcp ${hostname}:${port || (protocol === 'https:' ? 443 : 80)}: ${known}`;
}

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : '';
}

/** The codes of OpenSSL's verification, and those of a handshake with something else than TLS. */
const TLS_CODES =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|EPROTO$)/;

function isTls(error: Error): boolean {
  return TLS_CODES.test(codeOf(error));
}

/** fetch wraps what happened in a `TypeError: fetch failed`; the cause is what a person needs. */
function innermost(error: unknown): Error {
  const own = error instanceof Error ? error : new Error(String(error));
  if (own instanceof AggregateError && own.errors.length > 0) return innermost(own.errors[0]);
  return own.cause instanceof Error ? innermost(own.cause) : own;
}
