import type { AgentOptions, RequestOptions } from 'node:https';
import type { KubeConfig, RequestContext } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';

/**
 * Between two PINGs of a connection. One that is unanswered when the next is due closes it with
 * all that runs over it, so that a dead server is noticed within twice this time, at no request.
 */
export const PING_MS = 30_000;

/**
 * A connection pool with the kubeconfig's TLS files as they now are. An environment's HTTPS_PROXY
 * is not for the API server; the kubeconfig's proxy-url is. `context` is an authorized one.
 */
export async function connectionPool(
  config: KubeConfig,
  context: RequestContext,
  pingMs: number,
): Promise<Dispatcher> {
  const tls: RequestOptions & AgentOptions = {};
  await config.applyToHTTPSOptions(tls);
  const options = config.createDispatcherOptions(config.getCurrentCluster(), tls);
  const proxied = options.type === 'proxy' || options.type === 'socks';
  const dispatcher = proxied ? context.getDispatcher() : undefined;
  return (
    dispatcher ??
    new Agent({
      connect: options.type === 'agent' ? (options.connect as Agent.Options['connect'] & {}) : {},
      h2Options: { pingInterval: pingMs },
      // Requests and watches have limits of their own.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  );
}
