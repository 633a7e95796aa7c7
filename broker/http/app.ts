/**
 * The Fastify application: guards, body reading, errors, and headers that apply to every path. It knows no
 * feature.
 */
import fastify, { type FastifyInstance } from 'fastify';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { type Operation, type OperationId, operations } from '#protocol/operations.ts';
import type { Log } from '../runtime/log.ts';
import type { Tracing } from '../runtime/tracing.ts';
import { arrivalName } from '../wire/forwarded.ts';
import { addAuthorityFile } from './authority-file.ts';
import { addConsoleFiles, type ConsoleFiles } from './console-files.ts';
import { addDocsFiles } from './docs-files.ts';
import { createErrorHandler } from './error-reply.ts';
import { createJsonBodyReader } from './json-body.ts';
import { addOptions } from './methods.ts';
import { addMetrics, type Metrics } from './metrics.ts';
import { publicAddress } from './public-address.ts';
import { guardRequest } from './request-guard.ts';
import { addRoute, type Handler, type Handlers, type RouteContext } from './route.ts';
import { traceRequests } from './trace-requests.ts';

export interface AppOptions {
  log: Log;
  isOwnHost: (name: string) => boolean;
  /** Addresses whose forwarding headers count (specification/enrollment.md#request). */
  trustedProxies: readonly string[];
  context: RouteContext;
  /** The console's page and files; none if there is no console. */
  consoleFiles?: ConsoleFiles | undefined;
  /** The built documentation; none if it is absent. */
  docsFolder?: string | undefined;
  /** PEM of the team's own authority; null without one. */
  authority: () => string | null;
  /** Null: they are not offered. */
  metrics: Metrics | null;
  /** Null: requests have no spans. */
  tracing: Tracing | null;
}

export function createApp(
  {
    log,
    isOwnHost,
    trustedProxies,
    context,
    consoleFiles,
    docsFolder,
    authority,
    metrics,
    tracing,
  }: AppOptions,
  routes: readonly Handlers[],
): FastifyInstance {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: limits.body.json,
    routerOptions: { maxParamLength: 8192 },
    // The table's schemas check requests and replies; Fastify's would only be loaded at each start.
    schemaController: {
      compilersFactory: { buildValidator: () => noValidator, buildSerializer: () => noSerializer },
    },
    frameworkErrors: (error, request, reply) => handleError(error, request as never, reply as never),
  });
  const handleError = createErrorHandler(log);
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    createJsonBodyReader((text) => {
      let body: unknown;
      // Fastify's parser refuses keys that would reach a prototype. It answers by callback, but at once.
      parseJson({} as never, text, (error: Error | null, parsed: unknown) => {
        if (error !== null) throw error;
        body = parsed;
      });
      return body;
    }),
  );

  traceRequests(app, tracing);
  addOptions(app);
  app.decorateRequest('actor', null);
  app.decorateRequest('visit', null);
  app.addHook('onRequest', (request, reply, done) => {
    const { headers } = request.raw;
    // Node's parser drops what came in the same read behind such a request; so the client must not wait for it.
    if (headers.upgrade !== undefined) reply.header('connection', 'close');
    try {
      guardRequest(
        {
          address: publicAddress(request),
          rawHeaders: request.raw.rawHeaders,
          origin: headers.origin,
          protocolVersion: headers['x-svc-protocol'],
          arrival: arrivalName(request.raw.socket),
        },
        isOwnHost,
      );
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  app.setErrorHandler(handleError);
  app.setNotFoundHandler(() => {
    refuse('unknown_path');
  });
  if (consoleFiles !== undefined) addConsoleFiles(app, consoleFiles);
  addDocsFiles(app, docsFolder);
  addAuthorityFile(app, authority);
  addMetrics(app, metrics);
  for (const handlers of routes) {
    for (const [id, handler] of Object.entries(handlers)) {
      const operation: Operation = operations[id as OperationId];
      const add = (to: FastifyInstance): void =>
        addRoute(to, id as OperationId, handler as Handler<OperationId>, context);
      if (operation.rawBody)
        addRawBodyScope(app, operation.rawBody === true ? '*' : 'application/json', log, add);
      else add(app);
    }
  }
  return app;
}

function noValidator(): never {
  throw new Error('a route has a request schema of its own; the table has them all');
}

function noSerializer(): never {
  throw new Error('a route has a reply schema of its own; the table has them all');
}

/**
 * Inside it, the body is left unread for the handler; everywhere else, it is read as JSON. `contentType`: the
 * only accepted one, or `*`.
 */
function addRawBodyScope(
  app: FastifyInstance,
  contentType: string,
  log: Log,
  add: (scope: FastifyInstance) => void,
): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(contentType, (_request, _payload, parsed) => parsed(null));
    if (contentType === '*') scope.setErrorHandler(createErrorHandler(log, true));
    add(scope);
    done();
  });
}
